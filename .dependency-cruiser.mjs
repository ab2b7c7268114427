/**
 * The rooms of the program, as rules of dependency-cruiser: `npm run lint` reports each import that no row allows.
 *
 * Each row names a room and the rooms above it that it may import: `lib/x` is the whole room, `lib/x ports` its
 * `*-port.ts` files, `lib/x types` its types, `lib/*` every room of `lib` above.
 */

const COMMON = ['lib/platform', 'lib/errors', 'lib/contract', 'lib/config types'];
const SERVICE = [...COMMON, 'lib/log', 'lib/metrics'];
const HANDLER = ['lib/http', 'lib/contract', 'lib/errors', 'lib/services.ts types'];

/** @type {Readonly<Record<string, readonly string[]>>} */
const ROOMS = {
  'lib/errors': [],
  'lib/platform': ['lib/errors'],
  'lib/contract': ['lib/errors', 'lib/platform'],
  'lib/config': ['lib/errors', 'lib/platform', 'lib/contract'],
  'lib/cursors': COMMON,
  'lib/log': COMMON,
  'lib/metrics': COMMON,
  'lib/net': COMMON,
  'lib/http': SERVICE,
  'lib/images': COMMON,
  'lib/provenance': [...SERVICE, 'lib/images'],
  'lib/tokens': [...SERVICE, 'lib/config'],
  'lib/artifacts': [...SERVICE, 'lib/images'],
  'lib/inputs': [...SERVICE, 'lib/images', 'lib/net', 'lib/artifacts ports'],
  'lib/providers': [...SERVICE, 'lib/cursors', 'lib/images', 'lib/net'],
  'lib/prices': [...COMMON, 'lib/config', 'lib/providers ports'],
  'lib/admission': SERVICE,
  'lib/generation': [
    ...SERVICE,
    'lib/images',
    'lib/provenance',
    'lib/inputs',
    'lib/providers',
    'lib/prices',
    'lib/admission',
    'lib/artifacts',
  ],
  'lib/usage': [...SERVICE, 'lib/generation types', 'lib/generation ports'],
  'lib/billing': [...SERVICE, 'lib/cursors', 'lib/providers types', 'lib/generation types'],
  'lib/runs': [...SERVICE, 'lib/generation', 'lib/artifacts'],
  'lib/replay': SERVICE,
  'lib/sessions': [...SERVICE, 'lib/providers ports', 'lib/generation ports'],
  'lib/presets': [...SERVICE, 'lib/cursors', 'lib/replay'],
  'lib/image-requests': [
    ...SERVICE,
    'lib/runs',
    'lib/generation',
    'lib/replay',
    'lib/inputs',
    'lib/usage types',
  ],
  'lib/openai': [...SERVICE, 'lib/generation types', 'lib/image-requests types'],
  'lib/plans': [...SERVICE, 'lib/prices types', 'lib/generation', 'lib/openai'],
  'lib/webhooks': [...SERVICE, 'lib/config', 'lib/net', 'lib/admission ports'],
  'lib/jobs': [
    ...SERVICE,
    'lib/cursors',
    'lib/runs',
    'lib/generation',
    'lib/inputs',
    'lib/artifacts ports',
    'lib/replay',
    'lib/usage types',
    'lib/webhooks types',
  ],
  'lib/mcp': [...COMMON, 'lib/images types'],
  'lib/diagnostics': [...SERVICE, 'lib/* ports'],
  'lib/storage': [...COMMON, 'lib/* ports'],
  'lib/services.ts': ['lib/* types'],
  'lib/app-artifacts.ts': ['lib/*'],
  'lib/app-jobs.ts': ['lib/*'],
  'lib/app-runs.ts': ['lib/*'],
  'lib/app-objects.ts': ['lib/*'],
  'lib/app.ts': ['lib/*'],
  'handlers/operation.ts': HANDLER,
  'handlers/errors': [...HANDLER, 'handlers/operation.ts'],
  'handlers/*': [...HANDLER, 'handlers/operation.ts'],
  'handlers/routes.ts': ['lib/http types', 'lib/services.ts types', 'handlers/*'],
  'local-runtime/client': ['lib/contract', 'lib/platform'],
  'local-runtime/mcp': [
    'lib/platform',
    'lib/images types',
    'lib/http',
    'lib/mcp',
    'lib/services.ts types',
    'handlers/routes.ts types',
    'local-runtime/client',
  ],
  'local-runtime/server': ['lib/*', 'handlers/routes.ts', 'handlers/errors', 'local-runtime/mcp'],
  'local-runtime/functions': [
    'lib/*',
    'handlers/routes.ts',
    'handlers/errors',
    'local-runtime/server',
  ],
  'local-runtime/gateway': [
    'lib/platform',
    'lib/errors',
    'lib/metrics',
    'lib/net',
    'lib/http',
    'local-runtime/server',
  ],
  'local-runtime/cli': [
    'lib/*',
    'handlers/routes.ts',
    'local-runtime/client',
    'local-runtime/mcp',
    'local-runtime/server',
    'local-runtime/gateway',
  ],
  'local-runtime/main.ts': ['lib/storage', 'local-runtime/server', 'local-runtime/cli'],
  'infra/generators/openapi': ['lib/contract', 'lib/errors', 'lib/http', 'handlers/routes.ts'],
  'infra/generators/settings-page.ts': ['lib/config'],
  'infra/generators/function-platform.ts': ['handlers/routes.ts', 'local-runtime/functions'],
  dashboard: [],
};

/** The files of the drivers that other rooms may import. */
const DRIVER_ENTRIES =
  '^lib/storage/(open-stores|open-files|read-artifacts|inspect-state|state-inspection-port|state-move-port|move-state|storage-thread)\\.ts$';

/** The only folders that may import each package. A package without a row may not be imported. */
const PACKAGES = {
  valibot: '^(handlers|lib|local-runtime|infra/generators)/',
  '@valibot/to-json-schema': '^(lib/contract/json-schema\\.ts$|infra/generators/)',
  '@modelcontextprotocol/core': '^local-runtime/server/open-app\\.ts$',
  '@modelcontextprotocol/server':
    '^((lib|local-runtime)/mcp/|local-runtime/cli/commands/mcp\\.ts$)',
  '@middy/core': '^lib/http/',
  '@middy/http-json-body-parser': '^lib/http/',
  '@fastify/busboy': '^lib/http/',
  hono: '^local-runtime/server/listener/',
  '@hono/node-server': '^local-runtime/server/listener/',
  commander: '^local-runtime/cli/(command-line|completions|man-page|command-table/options)\\.ts$',
  undici: '^lib/net/',
  'ipaddr.js': '^lib/net/',
  'better-sqlite3': '^(lib/storage|local-runtime/server/locks)/',
  '@aws-sdk/client-s3': '^lib/storage/s3/',
  '@aws-sdk/s3-request-presigner': '^lib/storage/s3/',
  pg: '^lib/storage/postgres/',
  'pg-copy-streams': '^lib/storage/postgres/',
  sharp: '^lib/images/',
  '@contentauth/c2pa-wasm': '^lib/provenance/',
  'fast-xml-parser': '^lib/images/',
  'prom-client': '^lib/metrics/',
  '@aws-lambda-powertools/logger': '^lib/log/',
  'smol-toml': '^lib/config/',
  yaml: '^infra/generators/',
  piscina: '^lib/platform/',
  'lru-cache': '^lib/artifacts/',
  vite: '^dashboard/vite\\.config\\.ts$',
  preact: '^dashboard/src/',
  '@preact/signals': '^dashboard/src/',
  lucide: '^dashboard/src/',
  'openapi-fetch': '^dashboard/src/api/',
  'eventsource-parser': '^(dashboard/src/api|local-runtime/client)/',
  '@floating-ui/dom': '^dashboard/src/controls/',
  tinykeys: '^dashboard/src/shell/',
  'd3-zoom': '^dashboard/src/(job|zoom)/',
  'd3-selection': '^dashboard/src/zoom/',
  'idb-keyval': '^dashboard/src/make/',
  'client-zip': '^dashboard/src/',
  diff: '^dashboard/src/job/',
};

const PORT = '-port\\.ts$';

/** Returns the regular expression of the paths of a room. */
function pathsOf(room) {
  if (room === 'handlers/*') return '^handlers/(?!errors/)[^/]+/[^/]+\\.ts$';
  return room.endsWith('.ts') ? `^${room.replaceAll('.', '\\.')}$` : `^${room}/`;
}

/** Returns the paths that `lib/*` means in this room: all rooms of `lib` in the rows above. */
function expand(room, name) {
  const names = Object.keys(ROOMS);
  const above = names.slice(0, names.indexOf(room));
  if (name === 'lib/*') return above.filter((other) => other.startsWith('lib/')).map(pathsOf);
  if (!above.includes(name)) {
    throw new Error(`${room} names ${name}, which is not a room above it`);
  }
  return [pathsOf(name)];
}

/** Returns the rule of one allowance of a room. */
function toRule(room, allowance) {
  const [name, part] = allowance.split(' ');
  const path = expand(room, name);
  return {
    from: { path: pathsOf(room) },
    to: {
      path: part === 'ports' ? path.map((prefix) => `${prefix}.*${PORT}`) : path,
      ...(part === 'types' && { dependencyTypes: ['type-only', 'type-import'] }),
    },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-room',
      comment: 'Every file of the program belongs to a room of the table.',
      severity: 'error',
      from: { path: '^(handlers|lib|local-runtime)/', pathNot: Object.keys(ROOMS).map(pathsOf) },
      to: {},
    },
    {
      name: 'cycle',
      comment: 'Files must not import each other in a circle, not even as types.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'missing-file',
      comment: 'The imported file or package does not exist.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'undeclared-package',
      comment:
        'The program may import only dependencies; the page and the generators, which run at build time, also development dependencies.',
      severity: 'error',
      from: { pathNot: '^(dashboard|infra)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'] },
    },
    {
      name: 'inside-a-driver',
      comment: 'Other rooms import only the entries of lib/storage.',
      severity: 'error',
      from: { pathNot: '^lib/storage/' },
      to: { path: '^lib/storage/', pathNot: DRIVER_ENTRIES },
    },
    {
      name: 'port-with-code',
      comment:
        'A port imports only the common rooms and other ports, so that any driver can serve it.',
      severity: 'error',
      from: { path: PORT },
      to: {
        path: '^(lib|handlers|local-runtime)/',
        pathNot: [PORT, '^lib/(platform|errors|contract|config)/'],
      },
    },
  ],
  allowedSeverity: 'error',
  allowed: [
    ...Object.entries(ROOMS).flatMap(([room, allowances]) =>
      allowances.map((allowance) => toRule(room, allowance)),
    ),
    // The files of a room may import each other; handlers may not.
    ...Object.keys(ROOMS)
      .filter((room) => !room.startsWith('handlers/'))
      .map((room) => ({ from: { path: pathsOf(room) }, to: { path: pathsOf(room) } })),
    ...Object.entries(PACKAGES).map(([name, home]) => ({
      from: { path: home },
      to: { path: `^node_modules/(@types/)?${name}/` },
    })),
    { from: {}, to: { dependencyTypes: ['core'] } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    doNotFollow: { path: ['^node_modules/', '^test/'] },
    exclude: { path: '^node_modules/typescript/' },
  },
};
