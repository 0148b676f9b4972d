"""Lays a person down in flat presets, in order from the ground behind to the hair in front."""

from __future__ import annotations

import _portrait_dress as clothes
import _portrait_hats as hats
from _portrait_beard import beard
from _portrait_figure import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _portrait_anime import Cel
    from _portrait_figure import Figure
    from _portrait_hair import Hair
    from _portrait_look import Look
    from _portrait_poster import Cutter


def lay_down(artist: Cel | Cutter, look: Look, fig: Figure, hair: Hair, *, neck: float, ear: float) -> None:
    """`neck` and `ear` are how deep their shadows go."""
    artist.ground()
    artist.shapes(hats.behind(look, fig))
    artist.shapes(hair.behind)
    artist.shapes(clothes.behind(look, fig))
    artist.shape(Shape(fig.neck_path(), look.skin, kind="skin", depth=neck))
    artist.neck_shadow()
    artist.shapes(clothes.dress(look, fig))
    for side in (-1, 1):
        artist.shape(Shape(fig.ear(side, look.species), look.skin, kind="skin", depth=ear))
    artist.head()
    artist.features()
    artist.shapes(beard(look, fig))
    if look.beard:
        artist.mouth()
    artist.shapes(hair.over)
    artist.shapes(hair.front)
