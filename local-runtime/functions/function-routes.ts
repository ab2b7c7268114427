import type { Route } from '../../handlers/routes.ts';

/** Returns the routes that functions serve: all routes that do not depend on one long-lived process. */
export function servedByFunctions(routes: readonly Route[]): readonly Route[] {
  return routes.filter(({ needsProcess }) => needsProcess === undefined);
}

/** Returns the keys of a route in API Gateway. A parameter that may contain slashes is written as `{name+}`. */
export function toRouteKeys({ method, path, takesSlashes }: Route): readonly string[] {
  const at = takesSlashes ? path.replace(/\}$/, '+}') : path;
  return method === 'GET' ? [`GET ${at}`, `HEAD ${at}`] : [`${method} ${at}`];
}
