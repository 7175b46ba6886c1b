import type { LocalRoute } from "../stack/template.ts";

/** A request's route, and the values of the route's `{placeholders}` in its path. */
export interface MatchedRoute {
  route: LocalRoute;
  pathParameters: Record<string, string>;
}

/** Finds a request's route as API Gateway does: literal paths before `{places}`, `$default` last. */
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
  return places * 10 + (method === "ANY" ? 1 : 0);
}

function pathPattern(path: string): RegExp {
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return new RegExp(`^${pattern}$`);
}
