"""Proximal policy optimisation in self-play (Schulman et al. 2017), on the batch engine.

Read from top to bottom: who plays whom, how games are collected, what their decisions were worth, how the
network learns from them, and the run that repeats this.

Both players of a game decide in turns of several decisions, with answers of the opponent in between. All its
decisions form one chain. The game is zero-sum, so a chain is reckoned in the eyes of player 0: the value of a
decision counts as it is if player 0 decides, and with the other sign if player 1 does. What comes out is
turned back into the eyes of whoever decided.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from basilica_env.agents.ppo import GAIN_LAYER, Weights, kind_of_gains, read_network, unpacked
from basilica_env.agents.sight import CHANNELS, GAINS, SCALARS, sight
from basilica_env.core.batch import MARGIN_UNIT
from basilica_env.core.layout import ACTIONS, PLAYERS, SQUARES
from basilica_env.envs.batch import BatchEnv
from basilica_env.envs.opponents import Rival
from basilica_env.envs.threads import Crew, whole_number
from basilica_env.game import MOST_KEPT
from basilica_env.training.network import Network, new_network
from basilica_env.training.settings import Settings
from basilica_env.training.views import Views

MASK_OCTETS = -(-ACTIONS // 8)
"""Bytes of a mask that is kept, bit a % 8 of byte a // 8 for action a."""

_ILLEGAL = -1e9
"""Logit of an illegal action: its probability is exactly 0."""


Arrays = dict[str, NDArray[Any]]

Seen = tuple[Tensor, Tensor, Tensor]
"""Squares, scalars and gains (:mod:`basilica_env.agents.sight`), a row a game."""


# --- Policy ---------------------------------------------------------------------------------------


def distribution(logits: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return the probabilities of the actions, the illegal ones left out, and their logarithms.

    Both from the logits: ``exp`` takes many times longer than ``softmax`` where it gives 0.
    """
    legal = torch.where(mask, logits, _ILLEGAL)
    return torch.softmax(legal, 1), torch.log_softmax(legal, 1)


def drawn(p: Tensor, uniform: NDArray[np.float32]) -> Tensor:
    """Return an action for each row, by where a uniform number falls in the cumulated probabilities.

    The first place that exceeds it has a probability above 0, so no illegal action is ever drawn.

    Raises
    ------
    FloatingPointError
        If the probabilities are no numbers, because learning has diverged.
    """
    cumulated = np.cumsum(p.numpy(), axis=1)
    if not np.isfinite(cumulated[:, -1]).all():
        raise FloatingPointError("probabilities")
    threshold = cumulated[:, -1] * uniform * np.float32(1 - 1e-6)
    return torch.from_numpy((cumulated <= threshold[:, np.newaxis]).sum(1))


# --- Rivals ---------------------------------------------------------------------------------------


class Pool:
    """Past selves of the agent.

    When it is full, a past self drawn uniformly goes for the new one, so the chance that one is still there
    falls with its age.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.members: dict[str, Weights] = {}

    def add(self, name: str, network: Network, rng: np.random.Generator) -> None:
        """Add what a network is now."""
        if len(self.members) == self.size:
            del self.members[self.draw(rng)]
        self.members[name] = weights_of(network)

    def draw(self, rng: np.random.Generator) -> str:
        """Return the name of a past self, each as likely as another."""
        return list(self.members)[int(rng.integers(len(self.members)))]


def weights_of(network: Network) -> Weights:
    """Return copies of the weights of a network, by name."""
    return {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}


def put_weights(network: Network, weights: Weights) -> None:
    """Put weights into a network."""
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})


PAST, AGENT = "past", "agent"


class Group:
    """Games in which a rival has one seat.

    Parameters
    ----------
    kind : ``"past"`` (a past self), ``"agent"`` (the agent itself, for the exploiter), or an agent's spec
    games : their numbers, in a row
    network : what a rival that is a network plays with
    """

    def __init__(self, kind: str, games: NDArray[np.int64], network: Network | None) -> None:
        self.kind = kind
        self.games = games
        self.network = network
        self._rival: Rival | None = None

    def begin(self, seed: int) -> None:
        """Get ready for an update. An agent is made anew, so that a run can go on from any update."""
        if self.network is None:
            self._rival = Rival(self.kind, seed, "flat", np.dtype(np.uint8))

    def act(self, env: BatchEnv, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the actions of an agent in some games."""
        assert self._rival is not None
        nothing = np.empty((0, ACTIONS), np.uint8)  # an agent looks at the games alone
        return self._rival.act_batch(env, games, nothing, nothing)

    @torch.no_grad()
    def choose(self, seen: Seen, mask: NDArray[np.uint8], uniform: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the actions of a network in some games, given what is seen there and the masks."""
        assert self.network is not None
        logits, _ = self.network(*seen)
        p, _ = distribution(logits, _truths(mask))
        return drawn(p, uniform).numpy()


def _truths(mask: NDArray[np.uint8]) -> Tensor:
    return torch.from_numpy(mask.view(np.bool_))


# --- Games ----------------------------------------------------------------------------------------


class Rollout:
    """What a number of games went through in a number of decisions each; rows are (decision, game)."""

    def __init__(self, horizon: int, games: int, parts: int) -> None:
        shape = (horizon, games)
        self.squares = torch.zeros((*shape, SQUARES, CHANNELS), dtype=torch.int8)
        self.scalars = torch.zeros((*shape, SCALARS))
        self.gains = torch.zeros((*shape, parts, ACTIONS), dtype=torch.int8)
        self.masks = np.zeros((*shape, MASK_OCTETS), np.uint8)
        self.actions = torch.zeros(shape, dtype=torch.int64)
        self.log_p = torch.zeros(shape)
        self.values = torch.zeros(shape)
        self.learns = np.zeros(shape, np.bool_)
        """Whether the policy that learns took the action."""
        self.seats = np.zeros(shape, np.int64)
        self.rewards = np.zeros(shape, np.float32)
        """Of player 0."""
        self.ended = np.zeros(shape, np.bool_)
        self.last_values = np.zeros(games, np.float32)
        """Values of the positions after the last decision, for who decides there."""
        self.last_seats = np.zeros(games, np.int64)


def advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    seats: NDArray[np.int64],
    ended: NDArray[np.bool_],
    last_values: NDArray[np.float32],
    last_seats: NDArray[np.int64],
    discount: float,
    smoothing: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the advantages of the actions and the returns, each for the player who decided.

    Generalised advantage estimation (Schulman et al. 2016) along all decisions of a game, in the eyes of
    player 0.

    Parameters
    ----------
    rewards : what each decision brought player 0, shape (decisions, games)
    values : for the player who decides, same shape
    seats : who decides, same shape
    ended : whether the decision ended the game, same shape
    last_values, last_seats : the same of the positions after the last decision, shape (games,)
    discount : of the reward, a decision
    smoothing : lambda: 0 trusts the values, 1 the rewards
    """
    signs = (1 - 2 * seats).astype(np.float32)
    own = signs * values
    found = np.zeros_like(values)
    after = (1 - 2 * last_seats) * last_values
    running = np.zeros_like(after)
    for t in reversed(range(len(rewards))):
        goes_on = ~ended[t]
        surprise = rewards[t] + discount * goes_on * after - own[t]
        running = surprise + discount * smoothing * goes_on * running
        found[t] = running
        after = own[t]
    return signs * found, signs * (found + own)


@dataclass
class Ends:
    """How games ended since it was last asked."""

    lengths: list[int] = field(default_factory=list)
    """In decisions."""
    margins: list[int] = field(default_factory=list)
    """Points between the players."""
    scores: dict[str, list[float]] = field(default_factory=dict)
    """Results against each kind of rival: 1, 1/2 or 0."""

    def take(self) -> Ends:
        """Return what there is and begin anew."""
        taken = Ends(self.lengths, self.margins, self.scores)
        self.lengths, self.margins, self.scores = [], [], {}
        return taken


class Learner:
    """A network that learns, and the games that it learns from.

    Parameters
    ----------
    settings : of the run
    games : number of games
    groups : the kinds of the rivals and their numbers of games; in the other games it plays both seats
    stream : tells the learners of a run apart
    """

    def __init__(self, settings: Settings, games: int, groups: list[tuple[str, int]], stream: int) -> None:
        self.settings = settings
        self.network = new_network(settings)
        self.new_optimizer()
        self.env = BatchEnv(
            games, seed=settings.seed + stream, threads=settings.threads, observation=None, mask=None
        )
        self.rng = np.random.default_rng([settings.seed, stream])
        self.rollout = Rollout(settings.horizon, games, len(GAINS[settings.gains]))
        self.groups: list[Group] = []
        at = 0
        for kind, number in groups:
            network = new_network(settings) if kind in (PAST, AGENT) else None
            self.groups.append(Group(kind, np.arange(at, at + number), network))
            at += number
        self.seats = np.full(games, -1)
        """The learner's seat in each game; -1 is both."""
        self.seats[:at] = np.arange(at) % PLAYERS
        self.leads = np.zeros(games, np.int64)
        self.players = self.env.player
        self.crew = Crew(settings.threads)
        self.views = Views(settings.symmetry, games)
        self.everyone = np.arange(games)
        self.ends = Ends()
        self.clock = Clock()

    def new_optimizer(self) -> None:
        """Begin with an optimiser that remembers nothing (Adam, Kingma and Ba 2015)."""
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.settings.rate, eps=1e-5)

    @torch.no_grad()
    def collect(self, win_share: float) -> None:
        """Play the decisions of one update.

        Parameters
        ----------
        win_share : share of the result in the reward; the rest is what the lead in points grows by
        """
        rollout = self.rollout
        for group in self.groups:
            group.begin(int(self.rng.integers(2**63)))
        self.views.draw(self.rng)
        for t in range(self.settings.horizon):
            seen, mask = self._look(t)
            with self.clock.on("network"):
                logits, values = self.network(*seen)
                p, log_p = distribution(logits, _truths(mask))
                uniform = self.rng.random(len(mask), np.float32)
                actions = drawn(p, uniform)
            rollout.actions[t], rollout.values[t] = actions, values
            rollout.log_p[t] = log_p.gather(1, actions[:, None])[:, 0]
            with self.clock.on("rivals"):
                played, learns = self._answered(
                    self.views.real(actions.numpy(), self.everyone), seen, mask, uniform
                )
            rollout.learns[t], rollout.seats[t] = learns, self.players
            with self.clock.on("engine"):
                self._step(t, played, win_share)
        rollout.last_values[:] = self.network(*self._seen(self._records()))[1].numpy()
        rollout.last_seats[:] = self.players

    def _answered(
        self, actions: NDArray[np.int64], seen: Seen, mask: NDArray[np.uint8], uniform: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the actions, the rivals' where it is their turn, and where it is not."""
        actions = actions.copy()
        learns = np.ones(len(actions), np.bool_)
        for group in self.groups:
            games = group.games[self.players[group.games] != self.seats[group.games]]
            learns[games] = False
            if not games.size:
                continue
            if group.network is None:
                actions[games] = group.act(self.env, games)
            else:
                squares, scalars, gains = seen
                theirs = (squares[games], scalars[games], gains[games])
                chosen = group.choose(theirs, mask[games], uniform[games])
                actions[games] = self.views.real(chosen, games)
        return actions, learns

    def _records(self) -> NDArray[np.void]:
        return self.env.get_state()["game"]

    def _seen(self, games: NDArray[np.void]) -> Seen:
        settings = self.settings
        seen = sight(games, self.env.tiles.array, settings.gains, self.crew, settings.beam)
        squares, scalars, gains = map(torch.from_numpy, self.views.image(seen))
        return squares, scalars, gains

    def _look(self, t: int) -> tuple[Seen, NDArray[np.uint8]]:
        """Keep and return what the deciders see, and the mask of their actions."""
        rollout = self.rollout
        with self.clock.on("engine"):
            games = self._records()
            seen = self._seen(games)
            mask = self.views.mask(unpacked(games["legal"]))
            rollout.squares[t], rollout.scalars[t], rollout.gains[t] = seen
            rollout.masks[t] = np.packbits(mask, axis=1, bitorder="little")
        return seen, mask

    def _step(self, t: int, actions: NDArray[np.int64], win_share: float) -> None:
        """Play the actions; keep the rewards and how games ended."""
        now = self.env.step(actions)
        leads = now.scores[:, 0] - now.scores[:, 1]
        result = np.sign(leads) * now.terminated
        gained = (leads - self.leads) / MARGIN_UNIT
        self.rollout.rewards[t] = win_share * result + (1 - win_share) * gained
        self.rollout.ended[t] = now.terminated
        self.leads = np.where(now.terminated, 0, leads)
        self.players = now.player
        for game in now.finished:
            self._note_end(int(game), int(result[game]), int(leads[game]), int(now.length[game]))

    def _note_end(self, game: int, result: int, lead: int, length: int) -> None:
        """Note how a game ended and change seats for the next one."""
        self.ends.lengths.append(length)
        self.ends.margins.append(abs(lead))
        for group in self.groups:
            if group.games[0] <= game <= group.games[-1]:
                own = result if self.seats[game] == 0 else -result
                self.ends.scores.setdefault(group.kind, []).append((1 + own) / 2)
                self.seats[game] = 1 - self.seats[game]

    # --- Going on later ---------------------------------------------------------------------------

    def state(self) -> Arrays:
        """Return everything that the next update depends on."""
        arrays = _prefixed("network/", weights_of(self.network))
        names = {id(parameter): name for name, parameter in self.network.named_parameters()}
        for parameter, memory in self.optimizer.state.items():
            arrays |= {
                f"optimizer/{names[id(parameter)]}/{key}": value.numpy() for key, value in memory.items()
            }
        for number, group in enumerate(self.groups):
            if group.network is not None:
                arrays |= _prefixed(f"group/{number}/", weights_of(group.network))
        arrays["games"] = np.frombuffer(self.env.get_state().tobytes(), np.uint8)
        arrays |= {
            "seats": self.seats,
            "leads": self.leads,
            "random": np.array(json.dumps(self.rng.bit_generator.state)),
        }
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`state` returned."""
        put_weights(self.network, _below("network/", arrays))
        self.new_optimizer()
        for name, parameter in self.network.named_parameters():
            memory = _below(f"optimizer/{name}/", arrays)
            if memory:
                self.optimizer.state[parameter] = {
                    key: torch.from_numpy(value.copy()) for key, value in memory.items()
                }
        for number, group in enumerate(self.groups):
            if group.network is not None:
                put_weights(group.network, _below(f"group/{number}/", arrays))
        self.players = self.env.set_state(arrays["games"].tobytes()).player
        self.seats, self.leads = arrays["seats"].copy(), arrays["leads"].copy()
        self.rng.bit_generator.state = json.loads(str(arrays["random"]))

    # --- Learning ---------------------------------------------------------------------------------

    def update(self, rate: float, entropy_weight: float) -> dict[str, float]:
        """Learn from the decisions collected; return what happened, by the names in the log."""
        settings, rollout = self.settings, self.rollout
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        better, returns = advantages(
            rollout.rewards,
            rollout.values.numpy(),
            rollout.seats,
            rollout.ended,
            rollout.last_values,
            rollout.last_seats,
            settings.discount,
            settings.smoothing,
        )
        own = better[rollout.learns]
        better = (better - own.mean()) / (own.std() + 1e-8)
        batch = _Batch(
            rollout.squares.flatten(0, 1),
            rollout.scalars.flatten(0, 1),
            rollout.gains.flatten(0, 1),
            rollout.masks.reshape(-1, MASK_OCTETS),
            rollout.actions.flatten(),
            rollout.log_p.flatten(),
            torch.from_numpy(better.reshape(-1)),
            torch.from_numpy(returns.reshape(-1)),
            torch.from_numpy(rollout.learns.reshape(-1)).float(),
        )
        sums = np.zeros(len(_SUMS))
        steps = 0
        first_deviation = 0.0
        for _ in range(settings.epochs):
            order = self.rng.permutation(len(batch.actions))
            for rows in np.array_split(order, max(1, len(order) // settings.minibatch)):
                found, deviation = self._learn(batch, rows, entropy_weight)
                if steps == 0:
                    first_deviation = deviation
                sums += found
                steps += 1
        report = dict(zip(_SUMS, (sums / steps).tolist(), strict=True))
        spread = float(returns.var())
        error = float(((returns - rollout.values.numpy()) ** 2).mean())
        return report | {
            "explained": 1 - error / spread if spread else 0.0,
            "first_ratio_deviation": first_deviation,
        }

    def _learn(
        self, batch: _Batch, rows: NDArray[np.int64], entropy_weight: float
    ) -> tuple[NDArray[np.float64], float]:
        """Take one step of the optimiser; return the sums of the report and the largest |ratio - 1|."""
        settings = self.settings
        self.optimizer.zero_grad()
        sums = np.zeros(len(_SUMS))
        deviation = 0.0
        learned = float(batch.learns[rows].sum()) or 1.0
        for start in range(0, len(rows), settings.chunk):
            part = rows[start : start + settings.chunk]
            mask = _truths(np.unpackbits(batch.masks[part], axis=1, count=ACTIONS, bitorder="little"))
            logits, values = self.network(*batch.seen(part))
            p, log_p = distribution(logits, mask)
            own = batch.learns[part] / learned
            change = log_p.gather(1, batch.actions[part][:, None])[:, 0] - batch.log_p[part]
            ratio = change.exp()
            advantage = batch.advantages[part]
            bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -(own * torch.minimum(ratio * advantage, bounded * advantage)).sum()
            entropy = -(own * (p * log_p).sum(1)).sum()
            value_loss = ((values - batch.returns[part]) ** 2).sum() / len(rows)
            loss = policy_loss + settings.value_weight * value_loss - entropy_weight * entropy
            loss.backward()  # type: ignore[no-untyped-call]
            with torch.no_grad():
                distance = (own * (ratio - 1 - change)).sum()  # Schulman's estimate of the divergence
                clipped = (own * ((ratio - 1).abs() > settings.clip)).sum()
                deviation = max(deviation, float((batch.learns[part] * (ratio - 1).abs()).max()))
                sums += [float(x) for x in (policy_loss, value_loss, entropy, distance, clipped)]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.gradient)
        self.optimizer.step()
        return sums, deviation


_SUMS = ("policy_loss", "value_loss", "entropy", "divergence", "clipped")


@dataclass
class _Batch:
    """The decisions of an update in one row each."""

    squares: Tensor
    scalars: Tensor
    gains: Tensor
    masks: NDArray[np.uint8]
    actions: Tensor
    log_p: Tensor
    advantages: Tensor
    returns: Tensor
    learns: Tensor

    def seen(self, rows: NDArray[np.int64]) -> Seen:
        """Return what the network looks at in some rows."""
        return self.squares[rows], self.scalars[rows], self.gains[rows]


class Clock:
    """Seconds spent on the parts of the work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def on(self, part: str) -> Iterator[None]:
        """Count the time of a block."""
        started = time.perf_counter()
        yield
        self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - started


def _prefixed(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    return {prefix + name: array for name, array in arrays.items()}


def _below(prefix: str, arrays: Arrays) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


# --- The run --------------------------------------------------------------------------------------


class Trainer:
    """A run of self-play: the agent, its past selves and, if wanted, its exploiter.

    The rivals of the agent, by their shares of its games, are past selves (two groups, each of which draws
    one from the pool every ``pool_keep`` updates), agents by their specs, and itself. The exploiter plays
    against the agent as it is and learns from that alone. When it scores more than 60 % of 200 games, or
    after 100 updates, it joins the pool, and begins anew as a copy of the agent.
    """

    def __init__(self, settings: Settings) -> None:
        whole_number("beam", settings.beam, least=1, most=MOST_KEPT)
        self.settings = settings
        self.updates = 0
        self.steps = 0
        past = round(settings.games * settings.past_share / 2)
        groups = [(PAST, past), (PAST, past)] if past else []
        groups += [
            (spec, round(settings.games * share)) for spec, share in settings.heuristic_shares().items()
        ]
        self.agent = Learner(settings, settings.games, [group for group in groups if group[1]], 1)
        self.pool = Pool(settings.pool)
        rivals = round(settings.games * settings.exploiter_share)
        self.exploiter = Learner(settings, rivals, [(AGENT, rivals)], 2) if rivals else None
        self.exploiter_updates = 0
        self.exploiter_scores: list[float] = []

    def begin(self) -> None:
        """Begin with the network of the setting ``start``, if there is one.

        What it was never told, because it looks at other gains, is weighed as in a new network.

        Raises
        ------
        ValueError
            If it is damaged or does not fit the other settings.
        OSError
            If it cannot be read.
        """
        path = self.settings.start
        if not path:
            return
        weights, facts = read_network(path)
        own = weights_of(self.agent.network)
        gains = {name: array for name, array in own.items() if GAIN_LAYER in name}
        try:
            put_weights(self.agent.network, gains | weights)
        except RuntimeError as error:
            reason = self._misfit(kind_of_gains(weights), facts.get("settings", {}))
            raise ValueError(f"start is {path}, which does not fit: {reason}") from error

    def _misfit(self, gains: str, settings: Mapping[str, Any]) -> str:
        """Return in what another network differs that cannot be made up for."""
        for name in ("network", "width", "blocks", "trunk"):
            own = getattr(self.settings, name)
            its = settings.get(name, own)
            if its != own:
                return f"its {name} is {its}, that of this run {own}"
        return (
            f"it is told the gains {gains!r} of its actions and this run {self.settings.gains!r}: "
            f"expected more or the same"
        )

    @property
    def progress(self) -> float:
        """Share of the run that is done."""
        return min(1.0, self.steps / self.settings.steps)

    def update(self) -> dict[str, float]:
        """Play and learn once; return what happened, by the names in the log."""
        settings = self.settings
        if self.updates % settings.pool_every == 0:
            self.pool.add(f"update {self.updates}", self.agent.network, self.agent.rng)
        if self.updates % settings.pool_keep == 0:
            for group in self.agent.groups:
                if group.kind == PAST and group.network is not None:
                    put_weights(group.network, self.pool.members[self.pool.draw(self.agent.rng)])
        rate = self._between(settings.rate, settings.rate_last)
        entropy_weight = self._between(settings.entropy, settings.entropy_last)
        win_share = self._between(settings.win_share_first, settings.win_share_last)
        report = self._teach(self.agent, win_share, rate, entropy_weight)
        if self.exploiter is not None:
            self._exploit(self.exploiter, win_share, rate, entropy_weight)
        self.updates += 1
        return report | {"rate": rate, "entropy_weight": entropy_weight, "win_share": win_share}

    def _between(self, first: float, last: float) -> float:
        return first + (last - first) * self.progress

    def _teach(
        self, learner: Learner, win_share: float, rate: float, entropy_weight: float
    ) -> dict[str, float]:
        learner.collect(win_share)
        with learner.clock.on("learning"):
            report = learner.update(rate, entropy_weight)
        self.steps += learner.rollout.actions.numel()
        return report

    def _exploit(self, exploiter: Learner, win_share: float, rate: float, entropy_weight: float) -> None:
        """Let the exploiter learn once; let it join the pool when it is ready."""
        weights = weights_of(self.agent.network)
        if self.exploiter_updates == 0:
            put_weights(exploiter.network, weights)
            exploiter.new_optimizer()
            self.exploiter_scores = []
        for group in exploiter.groups:
            if group.network is not None:
                put_weights(group.network, weights)
        self._teach(exploiter, win_share, rate, entropy_weight)
        self.exploiter_updates += 1
        self.exploiter_scores = (self.exploiter_scores + exploiter.ends.take().scores.get(AGENT, []))[-200:]
        beats = len(self.exploiter_scores) == 200 and np.mean(self.exploiter_scores) > 0.6
        if beats or self.exploiter_updates == 100:
            self.pool.add(f"exploiter {self.updates}", exploiter.network, self.agent.rng)
            self.exploiter_updates = 0

    def state(self) -> Arrays:
        """Return everything that the rest of the run depends on, so that it goes on as if never stopped."""
        arrays = _prefixed("agent/", self.agent.state())
        if self.exploiter is not None:
            arrays |= _prefixed("exploiter/", self.exploiter.state())
        for name, weights in self.pool.members.items():
            arrays |= _prefixed(f"pool/{name}/", weights)
        arrays["exploiter_scores"] = np.array(self.exploiter_scores)
        arrays["counters"] = np.array([self.updates, self.steps, self.exploiter_updates])
        arrays["pool"] = np.array(list(self.pool.members))
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`state` returned.

        Raises
        ------
        KeyError, ValueError, RuntimeError
            If it is not the state of a run with these settings.
        """
        self.agent.restore(_below("agent/", arrays))
        if self.exploiter is not None:
            self.exploiter.restore(_below("exploiter/", arrays))
        self.pool.members = {str(name): _below(f"pool/{name}/", arrays) for name in arrays["pool"]}
        self.exploiter_scores = arrays["exploiter_scores"].tolist()
        self.updates, self.steps, self.exploiter_updates = (int(number) for number in arrays["counters"])
