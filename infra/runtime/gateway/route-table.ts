import type { LocalRoute } from "../stack/template.ts";

/** A request's route, and the values of the route's `{placeholders}` in its path. */
export interface MatchedRoute {
  route: LocalRoute;
  pathParameters: Record<string, string>;
}

/** Finds a request's route as API Gateway does: literal paths before `{places}`, `$default` last. */
export function findRoute(routes: readonly LocalRoute[], method: string, path: string): MatchedRoute | undefined {
  const found = routes.flatMap((route) => {
    const [ownMethod = "", ownPath = ""] = route.routeKey.split(" ");
    const match = [method, "ANY"].includes(ownMethod) && pathPattern(ownPath).exec(path);
    return match ? [{ route, pathParameters: { ...match.groups }, places: ownPath.split("{").length }] : [];
  });
  const [first] = found.sort((one, other) => one.places - other.places);
  if (first) return first;
  const fallback = routes.find((route) => route.routeKey === "$default");
  return fallback && { route: fallback, pathParameters: {} };
}

function pathPattern(path: string): RegExp {
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return new RegExp(`^${pattern}$`);
}
