"""The right half of the drawing: decision, spaces, piles, track, players, legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from basilica_env.core.layout import (
    ACTIONS_A_TURN,
    BUILDERS_EACH,
    LAST_SPACE,
    PLAYERS,
    SCORING_EVERY,
    SPACES,
    TOKENS_EACH,
)
from basilica_env.render import shapes
from basilica_env.render.ansi import CARD_TITLES
from basilica_env.render.shapes import CROWN_WIDTH, SYMBOL, TILE, at, box, circle, figure, group, text
from basilica_env.render.words import COLOUR_NAMES, RANK_NAMES, question, result

if TYPE_CHECKING:
    from basilica_env.game import GameState
    from basilica_env.render.scene import Scene
    from basilica_env.render.style import Players
    from basilica_env.render.theme import Theme

X, WIDTH = 384, 556
"""Left edge and width of the panel."""
GAP = 10
"""Free space to the left of it."""
HEADER_Y, HEADER_HEIGHT = 20, 66
ORDERS_Y, ORDER_HEIGHT = 116, 104
VAULTS_Y, VAULT_HEIGHT = 248, 70
CARD_WIDTH, CARD_STEP = 88, 98
STACK_X = X + SPACES * CARD_STEP + 10
TRACK_Y, TRACK_HEIGHT = 372, 24
PLAYERS_Y, PLAYER_HEIGHT = 454, 138
PLAYER_WIDTH, PLAYER_STEP = 271, 285
LEGEND_Y, LEGEND_HEIGHT = 606, 170

FEW_TILES = 6
"""So many tiles before the end of the game are worth a warning."""
SPENT = 0.16
"""Opacity of a piece that is no longer in the supply."""


def panel_parts(scene: Scene) -> list[str]:
    """Draw all of the panel."""
    return [
        *_header(scene),
        *_spaces(scene),
        *_piles(scene),
        *_track(scene),
        *(_player(scene, player) for player in range(PLAYERS)),
        _legend(scene),
    ]


# --- The decision ------------------------------------------------------------------------------------


def status(state: GameState, players: Players) -> tuple[str, str]:
    """Say who decides, and what; for a finished game, that it is over, and its result."""
    if state.is_over:
        return "The game is over", result(state.scores, players.names)
    words = question(state)
    return f"{players.names[state.player]} decides", words[0].upper() + words[1:]


def _header(scene: Scene) -> list[str]:
    """Draw whose decision it is, the actions of the turn, and the answers to choose from."""
    theme, state = scene.theme, scene.state
    who, what = status(state, scene.players)
    x, right = X + 16, X + WIDTH - 14
    parts = [box(X, HEADER_Y, WIDTH, HEADER_HEIGHT, 8, fill=theme.panel, stroke=theme.edge)]
    if not state.is_over:
        parts.append(at(x, HEADER_Y + 10, shapes.builder(theme, state.player), scale=1.45))
        parts.append(_turn(scene))
        x += 48
    answers = []
    room = right - x
    for move in reversed(scene.legal.answers):
        answers.append(group(shapes.chip(theme, move, x + room - 32, HEADER_Y + 48, 13), data_legal=move))
        room -= 74
    parts.append(text(who, x, HEADER_Y + 28, 19, theme.ink, bold=True, width=right - x - 150))
    parts.append(text(what, x, HEADER_Y + 52, 14, theme.ink, width=room))
    return [group(*parts, data_part="decision"), *answers]


def _turn(scene: Scene) -> str:
    """Draw the actions of the turn: those done, the one that runs, those to come."""
    theme, view = scene.theme, scene.view
    running = ACTIONS_A_TURN - view.actions
    x, y = X + WIDTH - 66, HEADER_Y + 21
    dots = [
        circle(
            x + 22 * k,
            y,
            7,
            fill=(theme.quiet, theme.legal, theme.panel)[(k >= running) + (k > running)],
            stroke=theme.legal if k == running else theme.quiet,
            stroke_width=1.6,
        )
        for k in range(ACTIONS_A_TURN)
    ]
    return group(
        text("Turn", x - 50, y + 5, 13, theme.quiet, anchor="end"),
        at(x - 43, y - 13, shapes.builder(theme, view.turn), scale=0.85),
        *dots,
        data_turn=view.turn,
        data_action=running + 1,
    )


# --- Spaces and piles --------------------------------------------------------------------------------


def _spaces(scene: Scene) -> list[str]:
    """Draw the order spaces with the order side of their tiles, and the vault spaces below (R2.1)."""
    parts = []
    for space in range(SPACES):
        x = X + CARD_STEP * space
        order = _order_side(scene, scene.view.orders[space])
        vault = _vault_side(scene, scene.view.vaults[space])
        parts += [
            _label(scene.theme, f"Order {space + 1}", x, ORDERS_Y),
            _space(scene, f"order-{space + 1}", x, ORDERS_Y, ORDER_HEIGHT, order),
            _label(scene.theme, f"Vault {space + 1}", x, VAULTS_Y),
            _space(scene, f"vault-{space + 1}", x, VAULTS_Y, VAULT_HEIGHT, vault),
        ]
    return parts


def _label(theme: Theme, words: str, x: float, y: float) -> str:
    return text(words, x + CARD_WIDTH / 2, y - 7, 12, theme.quiet, anchor="middle")


def _space(scene: Scene, name: str, x: float, y: float, height: float, content: list[str]) -> str:
    theme, moves = scene.theme, scene.legal.spaces.get(name)
    parts = [_card(theme, height, dashes=None if content else "4 4"), *content]
    if not content:
        parts.append(text("empty", CARD_WIDTH / 2, height / 2 + 4, 12, theme.quiet, anchor="middle"))
    if name in scene.last:
        parts.append(_frame(theme.last, height, 1.5))
    if moves:
        parts.append(_frame(theme.legal, height, -3, dashes="7 4"))
    return at(x, y, *parts, data_space=name, data_legal=" ".join(moves) if moves else None)


def _card(theme: Theme, height: float, dashes: str | None = None) -> str:
    line = {"stroke": theme.edge, "stroke_width": 1.2, "stroke_dasharray": dashes}
    return box(0, 0, CARD_WIDTH, height, 7, fill=theme.panel, **line)


def _frame(colour: str, height: float, inset: float, dashes: str | None = None) -> str:
    line = {"stroke": colour, "stroke_width": 2.6, "stroke_dasharray": dashes}
    return box(inset, inset, CARD_WIDTH - 2 * inset, height - 2 * inset, 8, fill="none", **line)


def _order_side(scene: Scene, code: str | None) -> list[str]:
    """Draw the order, its coin icon and the colours of the vault on its back; never the crown (R1.5)."""
    if code is None:
        return []
    theme, tiles = scene.theme, scene.state.tiles
    tile = tiles.numbers[code]
    order, colours = tiles.orders[tile], tiles.colours[tile]
    parts = [
        at((CARD_WIDTH - SYMBOL) / 2, 7, shapes.order_symbol(theme, order), data_order=order),
        text(CARD_TITLES[order], CARD_WIDTH / 2, 64, 13, theme.ink, bold=True, anchor="middle"),
        at(8, 74, _back(theme, colours), data_back=colours),
    ]
    if tiles.coins[tile]:
        parts.append(at(CARD_WIDTH - 14, 14, shapes.coin(theme), data_coin=1))
    return parts


def _back(theme: Theme, colours: str) -> str:
    width = CARD_WIDTH - 16
    parts = [shapes.wall(theme, colours, width, 22)]
    for k, letter in enumerate(colours):
        x = width / len(colours) * (k + 0.5)
        parts.append(box(x - 8, 3.5, 16, 15, 3, fill=theme.plate))
        parts.append(text(letter, x, 15.5, 12, theme.plate_ink, bold=True, anchor="middle"))
    return group(*parts)


def _vault_side(scene: Scene, code: str | None) -> list[str]:
    if code is None:
        return []
    tiles = scene.state.tiles
    tile = tiles.numbers[code]
    return [
        at(
            (CARD_WIDTH - TILE) / 2,
            (VAULT_HEIGHT - TILE) / 2,
            shapes.bay(scene.theme, tiles.colours[tile]),
            shapes.bay_signs(scene.theme, code, bool(tiles.crowns[tile])),
            data_tile=code,
        )
    ]


def _piles(scene: Scene) -> list[str]:
    """Draw the stack with its open top, and count both piles (R7)."""
    theme, view = scene.theme, scene.view
    stack = len(view.stack)
    top = _order_side(scene, view.stack[0] if stack else None)
    below = [at(3 * k, -3 * k, _card(theme, ORDER_HEIGHT)) for k in range(min(3, stack - 1), 0, -1)]
    reshuffle = "reshuffled already" if view.reshuffled else "to be reshuffled"
    return [
        _label(theme, "Top of stack", STACK_X, ORDERS_Y - (7 if below else 0)),
        at(STACK_X, ORDERS_Y, *below),
        _space(scene, "stack", STACK_X, ORDERS_Y, ORDER_HEIGHT, top),
        _pile(theme, ORDERS_Y + 18, "Stack", stack, "order side up"),
        _pile(theme, ORDERS_Y + 68, "Discard", len(view.discard), reshuffle),
        _left(scene),
    ]


def _pile(theme: Theme, y: float, name: str, count: int, note: str) -> str:
    x = STACK_X + CARD_WIDTH + 22
    return group(
        text(name, x, y, 14, theme.ink),
        figure(count, X + WIDTH - 6, y + 4, 22, theme.ink, data_count=name.lower()),
        text(note, x, y + 17, 11, theme.quiet),
    )


def _left(scene: Scene) -> str:
    """Draw how many tiles can still be drawn: after the last one the next draw ends the game (R7.2)."""
    theme, view = scene.theme, scene.view
    left = len(view.stack) + (0 if view.reshuffled else len(view.discard))
    note = "then the game ends" if view.reshuffled else "and what is discarded"
    if scene.state.is_over:
        left, note = 0, "the game is over"
    is_near = view.reshuffled and left <= FEW_TILES and not scene.state.is_over
    width = X + WIDTH - STACK_X
    line = {"stroke": theme.legal if is_near else theme.edge, "stroke_width": 2.6 if is_near else 1.2}
    return at(
        STACK_X,
        VAULTS_Y,
        box(0, 0, width, VAULT_HEIGHT, 7, fill=theme.panel, **line),
        figure(left, 70, 49, 38, theme.ink, data_count="left"),
        text("tiles to draw" if left != 1 else "tile to draw", 82, 32, 15, theme.ink, bold=True),
        text(note, 82, 52, 13, theme.quiet),
    )


# --- The track ---------------------------------------------------------------------------------------


def _track(scene: Scene) -> list[str]:
    """Draw the king on his 30 spaces, the crowns of the scorings, and the points of both players (R2.2)."""
    theme, view = scene.theme, scene.view
    king = at(_along(view.king), TRACK_Y - 2, shapes.king(theme), data_king=view.king)
    points = [_points(scene, player) for player in range(PLAYERS)]
    spaces = (_track_space(theme, space, view.king) for space in range(LAST_SPACE + 1))
    next_scoring = view.king - view.king % SCORING_EVERY + SCORING_EVERY
    ahead = "" if scene.state.is_over else f", next scoring on {next_scoring}"
    title = text(f"King on {view.king}{ahead}", X, TRACK_Y - 36, 12, theme.quiet)
    return [title, group(*spaces, data_part="track"), king, *points]


def _along(space: int) -> float:
    """Return the middle of a space of the track."""
    return X + WIDTH / (LAST_SPACE + 1) * (space + 0.5)


def _track_space(theme: Theme, space: int, king: int) -> str:
    width = WIDTH / (LAST_SPACE + 1) - 1.6
    scores = space > 0 and space % SCORING_EVERY == 0
    fill = theme.gold if scores else theme.stone if 0 < space <= king else theme.panel
    edge = theme.gold_line if scores else theme.edge
    parts = [box(-width / 2, 0, width, TRACK_HEIGHT, 3, fill=fill, stroke=edge)]
    if space % 5 == 0 or space == king:
        ink = theme.gold_ink if scores else theme.ink
        parts.append(text(str(space), 0, 16, 10.5, ink, bold=scores or space == king, anchor="middle"))
    if scores and space != king:
        parts.append(at(-CROWN_WIDTH / 2, -16, shapes.crown_sign(theme)))
    return at(_along(space), TRACK_Y, *parts)


def _points(scene: Scene, player: int) -> str:
    """Draw a player's cube, which begins a new lap after the last space."""
    theme, score = scene.theme, scene.view.scores[player]
    space = (score - 1) % LAST_SPACE + 1 if score else 0
    line = theme.player_line(player)
    return at(
        min(max(_along(space), X + 12), X + WIDTH - 12),
        TRACK_Y + 37 + 21 * player,
        box(-12, -9, 24, 18, 3, fill=theme.player(player), stroke=line, stroke_width=1.4),
        text(str(score), 0, 4, 11, line, bold=True, anchor="middle", width=22),
        data_score=f"{player}:{score}",
    )


# --- The players -------------------------------------------------------------------------------------


def _player(scene: Scene, player: int) -> str:
    """Draw a player's name, points and supply; who decides has a frame."""
    theme, view = scene.theme, scene.view
    decides = not scene.state.is_over and scene.state.player == player
    line = {"stroke": theme.legal if decides else theme.edge, "stroke_width": 2.6 if decides else 1.2}
    right = PLAYER_WIDTH - 14
    parts = [
        box(0, 0, PLAYER_WIDTH, PLAYER_HEIGHT, 8, fill=theme.panel, **line),
        at(12, 9, shapes.builder(theme, player)),
        text(scene.players.labels[player], 46, 31, 16, theme.ink, bold=True, width=PLAYER_WIDTH - 124),
        figure(view.scores[player], right, 35, 28, theme.ink, data_count="score"),
    ]
    if scene.areas is not None:
        points = sum(area.points[player] for area in scene.areas)
        parts.append(figure(f"+{points} if scored now", right, 52, 11, theme.ink, data_count="now"))
    parts += [
        _supply(theme, 74, "Builders", view.builders[player], BUILDERS_EACH, _small_builder(theme, player)),
        _supply(theme, 101, "Tokens", view.tokens[player], TOKENS_EACH, shapes.token(theme)),
        _supply(theme, 126, "Coins", view.coins[player], view.coins[player], shapes.coin(theme, 8)),
    ]
    return at(X + PLAYER_STEP * player, PLAYERS_Y, *parts, data_player=player)


def _small_builder(theme: Theme, player: int) -> str:
    return at(-10, -13, shapes.builder(theme, player), scale=0.82)


def _supply(theme: Theme, y: float, name: str, count: int, places: int, piece: str) -> str:
    """Draw a row of a supply; pieces that are elsewhere are pale."""
    pieces = (at(112 + 27 * k, y - 5, piece, opacity=None if k < count else SPENT) for k in range(places))
    return group(
        text(name, 12, y, 12, theme.quiet),
        figure(count, 92, y, 13, theme.ink, data_count=name.lower()),
        *pieces,
    )


# --- The legend --------------------------------------------------------------------------------------


def _legend(scene: Scene) -> str:
    """Explain the signs."""
    theme = scene.theme
    colours = [
        (shapes.wall(theme, letter, 30, 22), (0, 0), f"{letter}  {name}")
        for letter, name in COLOUR_NAMES.items()
    ]
    ranks = [(shapes.badge(theme, name[0]), (15, 11), name) for name in RANK_NAMES]
    signs = [
        (shapes.crown_sign(theme), (6, 4), "crown: the king moves"),
        (shapes.coin(theme), (15, 11), "coin icon: paid order"),
        (shapes.glass_sign(theme), (15, 11), "stained glass"),
        (at(0, 0, shapes.scaffolding(theme), scale=0.4), (4, 0), "scaffolding"),
    ]
    marks = [(at(4, 0, shapes.corners(theme, 22)), (0, 0), "last move")]
    if scene.legal.squares or scene.legal.spaces:
        marks.append((at(4, 0, shapes.ring(theme, 22)), (0, 0), "legal"))
    figures = []
    if scene.areas is not None:
        sample = shapes.figures(theme, "2:1", "8:1", theme.edge)
        figures.append((at(-10, 4, sample, scale=0.78), (0, 0), "strength, points"))
    columns = (colours + figures, ranks + marks, signs)
    parts = [box(X, LEGEND_Y, WIDTH, LEGEND_HEIGHT, 8, fill="none", stroke=theme.edge)]
    for x, column in zip((14, 160, 338), columns, strict=True):
        for k, (sign, (dx, dy), words) in enumerate(column):
            y = LEGEND_Y + 12 + 31 * k
            parts.append(at(X + x + dx, y + dy, sign))
            parts.append(text(words, X + x + 40, y + 16, 13, theme.ink))
    return group(*parts, data_part="legend")
