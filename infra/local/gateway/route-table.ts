import type { LocalRoute } from "../stack/template.ts";

/** A request's route, and the values of the route's `{placeholders}` in its path. */
export interface MatchedRoute {
  route: LocalRoute;
  pathParameters: Record<string, string>;
}

/** Finds a request's route as API Gateway does: literal paths before `{places}` before `{rest+}`, `$default` last. */
export function createRouteTable(routes: LocalRoute[]): (method: string, path: string) => MatchedRoute | undefined {
  const patterns = routes
    .filter((route) => route.routeKey !== "$default")
    .map((route) => {
      const [method = "", path = ""] = route.routeKey.split(" ");
      return { route, method, pattern: pathPattern(path), rank: rank(method, path) };
    })
    .sort((one, other) => one.rank - other.rank);
  const fallback = routes.find((route) => route.routeKey === "$default");

  return (method, path) => {
    for (const candidate of patterns) {
      if (candidate.method !== method && candidate.method !== "ANY") continue;
      const match = candidate.pattern.exec(path);
      if (match) return { route: candidate.route, pathParameters: { ...match.groups } };
    }
    return fallback && { route: fallback, pathParameters: {} };
  };
}

function rank(method: string, path: string): number {
  const places = path.match(/\{/g)?.length ?? 0;
  return (path.endsWith("+}") ? 1_000 : 0) + places * 10 + (method === "ANY" ? 1 : 0);
}

function pathPattern(path: string): RegExp {
  const parts = path.split(/(\{\w+\+?\})/).map((part) => {
    const [, name, greedy] = /^\{(\w+)(\+?)\}$/.exec(part) ?? [];
    if (name) return `(?<${name}>${greedy ? ".+" : "[^/]+"})`;
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}
