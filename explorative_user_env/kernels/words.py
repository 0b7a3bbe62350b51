"""Words of compiled code that numba lacks, and the layout of many users in two blocks of memory.

An arm has 32 bytes (what the user knows of it), a user 64 bytes of her own. The places below are
the layout; `row_of` reads it in Python, `row_at` in compiled code.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

from explorative_user_env.users.model import LawfulTuple, StateTuple, User, long_tables

build: Any = cgutils
#: Numba's modules for those who extend it, which are not annotated.
arrays: Any = arrayobj


def word(generator: Callable[..., Any]) -> Any:
    """Return a word of compiled code, made of what generates its instructions."""
    return intrinsic(generator)


Addresses = tuple[int, int, int, int]


def addresses_of(rng: np.random.Generator) -> Addresses:
    """Return where the state of `rng` is, and the functions that draw from it.

    They are good as long as the bit generator of `rng` is kept; its state may be set anew at any
    time.
    """
    interface: Any = rng.bit_generator.ctypes
    functions = (interface.next_uint64, interface.next_uint32, interface.next_double)
    pointers = [ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions]
    return (int(interface.state_address), pointers[0], pointers[1], pointers[2])


def addresses_of_all(
    rngs: Sequence[np.random.Generator],
) -> tuple[np.ndarray, tuple[int, int, int]]:
    """Return where the state of each is, and the functions that draw, which all must share."""
    addresses = [addresses_of(rng) for rng in rngs]
    return np.array([address[0] for address in addresses]), addresses[0][1:]


@word
def generator_at(typing_context: Any, addresses: Any) -> Any:
    """Return, in compiled code, the Generator whose parts are at these addresses."""
    signature = types.npy_rng(addresses)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = build.create_struct_proxy(types.npy_bitgen)(context, builder)
        names = ("state_address", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
        for index, name in enumerate(names):
            setattr(bits, name, builder.extract_value(arguments[0], index))
        bits.state = bits.state_address
        generator = build.create_struct_proxy(types.npy_rng)(context, builder)
        generator.bit_generator = bits._getvalue()
        return generator._getvalue()

    return signature, generate


@word
def an_arm(typing_context: Any, arm: Any) -> Any:
    """Return `arm`; code does not compile with one that is a truth value or a fraction.

    It would be cut off to a whole number without a word where it is written down.
    """
    if not isinstance(arm, types.Integer):
        raise TypingError(f"an arm is a {arm}, no whole number")
    signature = types.int64(arm)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return signature, generate


@word
def with_law(typing_context: Any, numbers: Any, own_law: Any) -> Any:
    """Return, in compiled code, the user of these numbers with a reward law of her own."""
    kinds = (*numbers.types, own_law)
    lawful = types.NamedTuple(kinds, LawfulTuple)  # type: ignore[no-untyped-call]
    signature = lawful(numbers, own_law)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = build.unpack_tuple(builder, arguments[0])
        return context.make_tuple(builder, signature.return_type, [*values, arguments[1]])

    return signature, generate


@word
def halted(typing_context: Any, halt: Any) -> Any:
    """Return, in compiled code, whether there is another number than 0 in `halt`.

    It is read from memory every time: another thread may put it there, of which a compiler that
    looks at the loop alone knows nothing.
    """
    signature = types.boolean(halt)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrays.make_array(signature.args[0])(context, builder, arguments[0])
        number = builder.load_atomic(array.data, "monotonic", 8)
        return builder.icmp_signed("!=", number, number.type(0))

    return signature, generate


@word
def prefetch(typing_context: Any, address: Any) -> Any:
    """Ask for the memory at `address` soon, in compiled code; it need not be a valid one."""
    signature = types.void(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = build.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, number, number, number]),
            "llvm.prefetch.p0",
        )
        reading, kept_close, data = number(0), number(3), number(1)
        pointer = builder.inttoptr(arguments[0], byte)
        builder.call(function, [pointer, reading, kept_close, data])
        return context.get_dummy_value()

    return signature, generate


def _array_at(kind: Any, stride: int, layout: str) -> Any:
    """Return a word for an array of 8-byte numbers that are `stride` bytes apart."""

    @word
    def array_at(typing_context: Any, address: Any, n: Any) -> Any:
        array_type = types.Array(kind, 1, layout)  # type: ignore[call-overload]
        signature = array_type(types.int64, types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = arrays.make_array(array_type)(context, builder)
            arrays.populate_array(
                array,
                data=builder.inttoptr(arguments[0], array.data.type),
                shape=[arguments[1]],
                strides=[context.get_constant(types.intp, stride)],
                itemsize=context.get_constant(types.intp, 8),
                meminfo=None,
            )
            return array._getvalue()

        return signature, generate

    return array_at


#: How far apart the numbers of two arms are.
ARM_BYTES = 32

fractions_at = _array_at(types.float64, 8, "C")
counts_at = _array_at(types.int64, 8, "C")
arm_fractions_at = _array_at(types.float64, ARM_BYTES, "A")
arm_counts_at = _array_at(types.int64, ARM_BYTES, "A")


OWN_BYTES = 64

#: The places of what a user knows of an arm, and of her own numbers, in the order of her state.
MEAN, ESTIMATE, COUNT, SCALE = range(0, ARM_BYTES, 8)
ACCEPTANCES, INTERACTIONS, REFRESHED, SPREAD, REWARD, CEILING, CEILING_SPREAD, WITNESS = range(
    0, OWN_BYTES, 8
)


class Rows(NamedTuple):
    """A row for each user."""

    arms: np.ndarray  # (n_users, n_arms, 4), fractions, or whole numbers if seen as such
    own: np.ndarray  # (n_users, 8), likewise
    logarithms: np.ndarray
    inverse_roots: np.ndarray


def user_rows(user: User, n_users: int) -> Rows:
    """Return rows to be filled by `start`."""
    arms = np.zeros((n_users, user.n_arms, ARM_BYTES // 8))
    return Rows(arms, np.zeros((n_users, OWN_BYTES // 8)), *long_tables())


def row_of(rows: Rows, user: int) -> Any:
    """Return the state of one of many users; to change it is to change her."""
    arms, own = rows.arms[user].T, rows.own[user][:, np.newaxis]
    whole_arms, whole = arms.view(int), own.view(int)
    hers = (arms[0], arms[1], whole_arms[2], arms[3])
    return StateTuple(*hers, *whole[:3], *own[3:7], whole[7], rows.logarithms, rows.inverse_roots)


def row_at(arms: int, own: int, n_arms: int, user: int, logarithms: Any, inverse_roots: Any) -> Any:
    """Return, in compiled code, the state of one of many users, the blocks given by address."""
    first = memory_of_arm(arms, n_arms, user, 0)
    mine = own + user * OWN_BYTES
    return StateTuple(
        arm_fractions_at(first + MEAN, n_arms),
        arm_fractions_at(first + ESTIMATE, n_arms),
        arm_counts_at(first + COUNT, n_arms),
        arm_fractions_at(first + SCALE, n_arms),
        counts_at(mine + ACCEPTANCES, 1),
        counts_at(mine + INTERACTIONS, 1),
        counts_at(mine + REFRESHED, 1),
        fractions_at(mine + SPREAD, 1),
        fractions_at(mine + REWARD, 1),
        fractions_at(mine + CEILING, 1),
        fractions_at(mine + CEILING_SPREAD, 1),
        counts_at(mine + WITNESS, 1),
        logarithms,
        inverse_roots,
    )


def memory_of_arm(arms: int, n_arms: int, user: int, arm: int) -> int:
    """Return the address of what one of many users knows of an arm."""
    return arms + (user * n_arms + arm) * ARM_BYTES


def witness_at(own: int, user: int) -> int:
    """Return, in compiled code, the witness of one of many users."""
    witness: int = counts_at(own + user * OWN_BYTES + WITNESS, 1)[0]
    return witness
