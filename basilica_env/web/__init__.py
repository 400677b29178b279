"""The page and its HTTP interface: play, watch, replay and analyse in the browser; needs the extra ``web``.

From the bottom up: what is said over HTTP (``messages``), a position in these words (``scenes``), who may
think (``opponents``) and where (``thinking``), who is told of changes (``feeds``), the games and replays that
are kept (``courses``, ``games``, ``replays``), the paths (``endpoints``, ``api``) and their description
(``openapi``), what holds for every request (``guard``), and all together (``app``, ``server``).
"""
