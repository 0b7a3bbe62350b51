"""Numba intrinsics for compiled loops, and the memory layout of the states of many users.

A first block of memory has 32 bytes for each arm of each user. A second block has 64 bytes for each
user. The byte offsets below define the layout. The state of a user is read by `row_of` in Python
and by `row_at` in compiled code.
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
#: Numba's modules for extensions, which have no type annotations.
arrays: Any = arrayobj


def typed(function: Callable[..., Any]) -> Any:
    """Return `intrinsic(function)` with a type annotation, which numba's `intrinsic` lacks."""
    return intrinsic(function)


Addresses = tuple[int, int, int, int]


def addresses_of(rng: np.random.Generator) -> Addresses:
    """Return the addresses of the state of `rng` and of its three drawing functions.

    The addresses are valid as long as the bit generator of `rng` exists. They do not change when
    the state changes.
    """
    interface: Any = rng.bit_generator.ctypes
    functions = (interface.next_uint64, interface.next_uint32, interface.next_double)
    pointers = [ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions]
    return (int(interface.state_address), pointers[0], pointers[1], pointers[2])


def addresses_of_all(rngs: Sequence[Any]) -> tuple[np.ndarray, tuple[int, int, int]]:
    """Return the address of each Generator's state, and those of the shared drawing functions."""
    addresses = [addresses_of(rng) for rng in rngs]
    return np.array([address[0] for address in addresses]), addresses[0][1:]


@typed
def generator_at(typing_context: Any, addresses: Any) -> Any:
    """Return the Generator at these addresses, in compiled code."""
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


@typed
def integer_arm(typing_context: Any, arm: Any) -> Any:
    """Return `arm`; compilation fails if its type is not an integer.

    Without this check, an arm that is a float would be silently truncated to an integer.
    """
    if not isinstance(arm, types.Integer):
        raise TypingError(f"an arm must be an integer, got a {arm}")
    signature = types.int64(arm)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return signature, generate


@typed
def with_law(typing_context: Any, numbers: Any, law: Any) -> Any:
    """Return the parameters of a user, `numbers` and her custom reward law, in compiled code."""
    kinds = (*numbers.types, law)
    lawful = types.NamedTuple(kinds, LawfulTuple)  # type: ignore[no-untyped-call]
    signature = lawful(numbers, law)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = build.unpack_tuple(builder, arguments[0])
        return context.make_tuple(builder, signature.return_type, [*values, arguments[1]])

    return signature, generate


@typed
def halted(typing_context: Any, halt: Any) -> Any:
    """Return whether the number in the array `halt` differs from 0, in compiled code.

    Another thread may write the number, so the load is atomic. Otherwise the compiler could read
    the number only once, before the loop.
    """
    signature = types.boolean(halt)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrays.make_array(signature.args[0])(context, builder, arguments[0])
        number = builder.load_atomic(array.data, "monotonic", 8)
        return builder.icmp_signed("!=", number, number.type(0))

    return signature, generate


@typed
def prefetch(typing_context: Any, address: Any) -> Any:
    """Prefetch the memory at `address` into the cache; an invalid address is harmless."""
    signature = types.void(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = build.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, number, number, number]),
            "llvm.prefetch.p0",
        )
        read, locality, data = number(0), number(3), number(1)
        pointer = builder.inttoptr(arguments[0], byte)
        builder.call(function, [pointer, read, locality, data])
        return context.get_dummy_value()

    return signature, generate


def _array_at(kind: Any, stride: int, layout: str) -> Any:
    """Return an intrinsic that makes an array of 8-byte numbers, `stride` bytes apart."""

    @typed
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


#: Bytes of the state of one user for one arm.
ARM_BYTES = 32

fractions_at = _array_at(types.float64, 8, "C")
counts_at = _array_at(types.int64, 8, "C")
arm_fractions_at = _array_at(types.float64, ARM_BYTES, "A")
arm_counts_at = _array_at(types.int64, ARM_BYTES, "A")


#: Bytes of the state of one user that belong to no arm.
USER_BYTES = 64

#: Byte offsets in the state of an arm, and in that of a user; the order is that of `StateTuple`.
MEAN, ESTIMATE, COUNT, SCALE = range(0, ARM_BYTES, 8)
ACCEPTANCES, INTERACTIONS, REFRESHED, SPREAD, REWARD, CEILING, CEILING_SPREAD, WITNESS = range(
    0, USER_BYTES, 8
)


class Rows(NamedTuple):
    """The states of many users, in float arrays. Eight bytes hold a float, or an integer count."""

    arms: np.ndarray  # shape (n_users, n_arms, 4)
    users: np.ndarray  # shape (n_users, 8)
    logarithms: np.ndarray
    inverse_roots: np.ndarray


def user_rows(user: User, n_users: int) -> Rows:
    """Return zeros for the states of `n_users` users; a behaviour's `start` sets the states."""
    arms = np.zeros((n_users, user.n_arms, ARM_BYTES // 8))
    return Rows(arms, np.zeros((n_users, USER_BYTES // 8)), *long_tables())


def row_of(rows: Rows, user: int) -> Any:
    """Return the state of user number `user` as views of the arrays in `rows`."""
    arms, row = rows.arms[user].T, rows.users[user][:, np.newaxis]
    counts, integers = arms.view(int)[2], row.view(int)
    state = (arms[0], arms[1], counts, arms[3], *integers[:3], *row[3:7], integers[7])
    return StateTuple(*state, rows.logarithms, rows.inverse_roots)


def row_at(arms: int, users: int, n_arms: int, user: int, logs: Any, inverse_roots: Any) -> Any:
    """Return the state of a user in compiled code; `arms` and `users` are addresses of arrays."""
    first = memory_of_arm(arms, n_arms, user, 0)
    row = users + user * USER_BYTES
    return StateTuple(
        arm_fractions_at(first + MEAN, n_arms),
        arm_fractions_at(first + ESTIMATE, n_arms),
        arm_counts_at(first + COUNT, n_arms),
        arm_fractions_at(first + SCALE, n_arms),
        counts_at(row + ACCEPTANCES, 1),
        counts_at(row + INTERACTIONS, 1),
        counts_at(row + REFRESHED, 1),
        fractions_at(row + SPREAD, 1),
        fractions_at(row + REWARD, 1),
        fractions_at(row + CEILING, 1),
        fractions_at(row + CEILING_SPREAD, 1),
        counts_at(row + WITNESS, 1),
        logs,
        inverse_roots,
    )


def memory_of_arm(arms: int, n_arms: int, user: int, arm: int) -> int:
    """Return the address of the state of an arm, for one of many users."""
    return arms + (user * n_arms + arm) * ARM_BYTES


def witness_at(users: int, user: int) -> int:
    """Return the arm that had the largest lcb when this user last compared all arms."""
    witness: int = counts_at(users + user * USER_BYTES + WITNESS, 1)[0]
    return witness
