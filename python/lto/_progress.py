"""Progress bars, where tqdm is installed."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class Bar:
    """A tqdm bar; nothing where it is not wanted or tqdm is missing."""

    def __init__(self, what: str, wanted: bool | None) -> None:
        self.what = what
        self.bar: Any = None
        self.wanted = in_notebook() if wanted is None else wanted

    def show(self, done: int, total: int | None, **shown: Any) -> None:
        """Shows how much is done, and some numbers beside it."""
        if not self.wanted:
            return
        if self.bar is None:
            try:
                with warnings.catch_warnings():
                    # A plain bar will do where notebooks have no widgets.
                    warnings.simplefilter("ignore")
                    from tqdm.auto import tqdm
            except ImportError:
                self.wanted = False
                return
            self.bar = tqdm(total=total, desc=self.what, leave=False)
        self.bar.total = total
        self.bar.n = done
        self.bar.set_postfix(shown, refresh=False)
        self.bar.update(0)

    def close(self) -> None:
        """Removes the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def in_notebook() -> bool:
    """Whether a notebook runs this."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
