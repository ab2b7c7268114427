import { type Route, routes } from '../../handlers/routes.ts';
import { servedByFunctions, toRouteKeys } from '../../local-runtime/functions/function-routes.ts';

const WRITTEN = `# Written by npm run generate: base.yaml in this folder, and one function for each operation that needs no process of its own.
# docs/scale.md describes the deployment. Containers with the same database and bucket run the jobs, and serve these routes:
#
`;

/** Returns the AWS SAM template of the function platform. `base` is the text of the template without the functions. */
export function functionTemplate(base: string): string {
  const elsewhere = routes.flatMap(({ method, path, needsProcess }) =>
    needsProcess === undefined ? [] : [`#   ${method} ${path}: ${needsProcess}\n`],
  );
  const functions = [
    ...servedByFunctions(routes).map(toFunction),
    functionOf('RefusePath', 'Reject every other path and method', ['$default']),
  ];
  return [WRITTEN, ...elsewhere, '\n', base, ...functions].join('');
}

function toFunction(route: Route): string {
  const { id, summary } = route.handler.spec;
  return functionOf(id.slice(0, 1).toUpperCase() + id.slice(1), summary, toRouteKeys(route));
}

/** Returns the resource of the function that serves the routes with these keys of API Gateway. */
function functionOf(name: string, summary: string, routeKeys: readonly string[]): string {
  const events = routeKeys.map((key) => {
    const [method = '', path] = key.split(' ');
    const route = path === undefined ? '' : `, Method: ${method}, Path: "${path}"`;
    const event = path === undefined ? 'Default' : method;
    return `        ${event}: { Type: HttpApi, Properties: { ApiId: !Ref Api${route} } }\n`;
  });
  return `
  ${name}:
    Type: AWS::Serverless::Function
    Properties:
      Description: ${JSON.stringify(summary)}
      Role: !GetAtt Role.Arn
      Events:
${events.join('')}`;
}
