"""What a submission has no business to do, by the events and functions of Python that do it."""

from types import MappingProxyType

PYTHONS, LIBRARYS, THEIRS = "python", "libraries", "theirs"
"""Whose a line of code is."""

HANDLED = MappingProxyType(
    {
        "gc.get_objects": "memory",
        "gc.get_referrers": "memory",
        "gc.get_referents": "memory",
        "sys._getframe": "frames",
        "sys._current_frames": "frames",
        "sys._current_exceptions": "frames",
        "sys.settrace": "frames",
        "sys.setprofile": "frames",
        "sys.addaudithook": "frames",
        "sys.monitoring.register_callback": "frames",
        "code.__new__": "code",
        "marshal.loads": "code",
    }
)
"""Events that a line of one's own asks for, and what `reasons.CHEATS` calls them."""

FORBIDDEN = MappingProxyType(
    {
        "subprocess.Popen": "processes",
        "os.exec": "processes",
        "os.fork": "processes",
        "os.forkpty": "processes",
        "os.posix_spawn": "processes",
        "os.spawn": "processes",
        "os.startfile": "processes",
        "os.system": "processes",
        "pty.spawn": "processes",
        "os.kill": "signals",
        "os.killpg": "signals",
        "signal.pthread_kill": "signals",
        "resource.setrlimit": "limits",
        "resource.prlimit": "limits",
    }
)
"""Events that are nobody's business, through whatever of Python's own they come."""

FAMILIES = MappingProxyType({"socket.": "network", "ctypes.": "code", "winreg.": "files"})
"""The same, by how they begin."""

NAMED_FILES = MappingProxyType(
    {
        "open": 1,
        "sqlite3.connect": 1,
        "os.chdir": 1,
        "os.chmod": 1,
        "os.chown": 1,
        "os.link": 2,
        "os.listdir": 1,
        "os.mkdir": 1,
        "os.remove": 1,
        "os.rename": 2,
        "os.rmdir": 1,
        "os.scandir": 1,
        "os.symlink": 2,
        "os.truncate": 1,
        "os.utime": 1,
        "os.walk": 1,
        "glob.glob": 1,
        "shutil.copyfile": 2,
        "shutil.move": 2,
        "shutil.rmtree": 1,
    }
)
"""Events that name files, and how many."""

FRAMES = ("tb_frame", "gi_frame", "cr_frame", "ag_frame", "f_code", "gi_code")
"""Attributes that lead from what anyone has to frames of code that calls."""

OPEN_TO_ALL = (
    *("/dev/null", "/dev/random", "/dev/urandom", "/etc/localtime", "/usr/share/zoneinfo/"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/"),
)
"""What libraries read of the machine."""

UNTOLD = (
    ("_posixsubprocess", "fork_exec", "processes"),
    ("subprocess", "_fork_exec", "processes"),
    ("os", "pidfd_open", "signals"),
    ("signal", "pidfd_send_signal", "signals"),
    ("os", "sched_setaffinity", "limits"),
    ("os", "setpriority", "limits"),
)
"""Functions of Python's own, by module, that raise no event."""

LISTS = ("os.listdir", "os.scandir")
"""Events by which folders are looked into."""

READS = ("open", "os.walk", "glob.glob", "os.chdir", *LISTS)
"""Events that change nothing, or say themselves whether they do."""

SEEN_THROUGH = ("inspect.py", "traceback.py")
"""Files of Python's own that do what a line of one's own would."""

METADATA = (".dist-info", ".egg-info")
"""How folders end that say what is installed."""
