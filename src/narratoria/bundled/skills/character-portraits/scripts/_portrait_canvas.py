"""Defines the canvas on which an SVG picture is drawn."""

from __future__ import annotations

from _portrait_figure import n

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Canvas:
    """Paths one over the other, with gradients and clippings by name. x = 0 is the middle of the picture."""

    def __init__(self, *, tall: bool = False) -> None:
        self.frame = (-224, 8, 448) if tall else (-204, 46, 408)
        self._definitions: list[str] = []
        self._drawn: list[str] = []
        self._count = 0
        self._softs: dict[str, str] = {}

    def define(self, text: str) -> str:
        """`text` holds # where its own name belongs; the name."""
        self._count += 1
        name = f"d{self._count}"
        self._definitions.append(text.replace("#ID", name))
        return name

    def put(self, text: str) -> None:
        self._drawn.append(text)

    def path(self, path: str, fill: str, **more: object) -> None:
        self.put(f'<path d="{path}" fill="{fill}"{_attributes(_dense(more, "fill_opacity"))}/>')

    def line(self, path: str, colour: str, width: float, **more: object) -> None:
        more = {"stroke_linecap": "round", "stroke_linejoin": "round", **_dense(more, "stroke_opacity")}
        self.put(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{n(width)}"{_attributes(more)}/>'
        )

    def spot(self, x: float, y: float, rx: float, ry: float, fill: str, **more: object) -> None:
        place = f'cx="{n(x)}" cy="{n(y)}" rx="{n(rx)}" ry="{n(ry)}"'
        self.put(f'<ellipse {place} fill="{fill}"{_attributes(_dense(more, "fill_opacity"))}/>')

    def soft(  # noqa: PLR0917 - a spot, how dense it is, and its turn
        self, x: float, y: float, rx: float, ry: float, colour: str, opacity: float, turn: float = 0
    ) -> None:
        """Draw a spot without an edge."""
        if colour not in self._softs:
            stops = [(0, colour, 1.0), (0.35, colour, 0.72), (0.7, colour, 0.2), (1, colour, 0.0)]
            name = self.define(f'<radialGradient id="#ID">{_stops(stops)}</radialGradient>')
            self._softs[colour] = f"url(#{name})"
        more = {"transform": f"rotate({n(turn)} {n(x)} {n(y)})"} if turn else {}
        self.spot(x, y, rx * 1.5, ry * 1.5, self._softs[colour], opacity=f"{opacity:.2f}", **more)

    def begin(self, **more: object) -> None:
        self.put(f"<g{_attributes(more)}>")

    def end(self) -> None:
        self.put("</g>")

    def clipped(self, path: str) -> None:
        """Until `end`, only what lies inside the path is seen."""
        name = self.define(f'<clipPath id="#ID"><path d="{path}"/></clipPath>')
        self.begin(clip_path=f"url(#{name})")

    def blurred(self, by: float) -> None:
        name = self.define(
            f'<filter id="#ID" x="-30%" y="-30%" width="160%" height="160%">'
            f'<feGaussianBlur stdDeviation="{n(by)}"/></filter>'
        )
        self.begin(filter=f"url(#{name})")

    def across(
        self, from_: tuple[float, float], to: tuple[float, float], stops: Sequence[tuple[float, str, float]]
    ) -> str:
        """Return a paint that changes from one place to another: where, which colour, how dense."""
        stop_tags = _stops(stops)
        (x1, y1), (x2, y2) = from_, to
        return "url(#{})".format(
            self.define(
                f'<linearGradient id="#ID" gradientUnits="userSpaceOnUse" x1="{n(x1)}" y1="{n(y1)}" '
                f'x2="{n(x2)}" y2="{n(y2)}">{stop_tags}</linearGradient>'
            )
        )

    def around(self, x: float, y: float, r: float, stops: Sequence[tuple[float, str, float]]) -> str:
        """Return a paint that changes from a place outwards: where, which colour, how dense."""
        stop_tags = _stops(stops)
        return "url(#{})".format(
            self.define(
                f'<radialGradient id="#ID" gradientUnits="userSpaceOnUse" cx="{n(x)}" cy="{n(y)}" r="{n(r)}">'
                f"{stop_tags}</radialGradient>"
            )
        )

    def svg(self) -> str:
        x, y, size = self.frame
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {size} {size}">'
            f"<defs>{''.join(self._definitions)}</defs>{''.join(self._drawn)}</svg>"
        )


def _stops(stops: Sequence[tuple[float, str, float]]) -> str:
    return "".join(
        f'<stop offset="{at}" stop-color="{colour}" stop-opacity="{dense}"/>' for at, colour, dense in stops
    )


def _dense(more: dict[str, object], name: str) -> dict[str, object]:
    """Return the opacity of a paint: that of an element costs a layer of its own."""
    return {name if key == "opacity" else key: value for key, value in more.items()}


def _attributes(more: dict[str, object]) -> str:
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
