import type { Route } from '../../../handlers/routes.ts';

/** Returns a function that returns the value of `Allow` for a path. The value is empty if no route has the path. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string {
  const findPath = pathFinder(routes);
  const allow = new Map(
    routes.map(({ path }) => [
      path,
      routes
        .filter((route) => route.path === path)
        .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        .sort()
        .join(', '),
    ]),
  );
  return (path) => allow.get(findPath(path)?.path ?? '') ?? '';
}

/** Returns the paths of other routes that match the parameter of this route, but for which its method is not allowed. */
export function hiddenPaths(routes: readonly Route[], route: Pick<Route, 'method'> & RoutePath) {
  const pattern = toPattern(route);
  return uniquePaths(routes)
    .map(({ path }) => path)
    .filter((path) => path !== route.path && !path.includes('{') && pattern.test(path))
    .filter((path) => !routes.some((it) => it.path === path && it.method === route.method));
}

/** Returns a function that finds the path of the route for the path of a request, for any method. */
export function pathFinder(routes: readonly Route[]): (path: string) => RoutePath | undefined {
  const table = uniquePaths(routes).map((at) => ({ at, pattern: toPattern(at) }));
  return (path) => table.find(({ pattern }) => pattern.test(path))?.at;
}

function toPattern({ path, takesSlashes }: RoutePath): RegExp {
  const parameter = takesSlashes ? '.*' : '[^/]+';
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, parameter)}$`);
}

/** The path of a route, with parameters such as `{id}`. */
export type RoutePath = Pick<Route, 'path' | 'takesSlashes'>;

function uniquePaths(routes: readonly Route[]): readonly RoutePath[] {
  return [...new Map(routes.map((route) => [route.path, route])).values()];
}
