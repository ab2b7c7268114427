import { type Import, importsOf, reexportsOf } from './imports.ts';
import type { SourceFile } from './sources.ts';

/**
 * A room and the rooms that it may import. A room may import only the rooms that it names, and only rooms in rows above its
 * own. `lib/x` is the whole room, `lib/x ports` its `*-port.ts` files, `lib/x types` its types; `lib/*` is every room of
 * `lib` above.
 */
interface Wall {
  readonly room: string;
  readonly imports: readonly string[];
  /** The files that other rooms may import. Without this list other rooms may import every file. */
  readonly entries?: readonly string[];
  /** True if the files of the room may not import each other. */
  readonly isClosed?: boolean;
}

const EVERYWHERE = ['lib/platform', 'lib/errors', 'lib/contract', 'lib/config types'];

function room(name: string, ...imports: readonly string[]): Wall {
  return { room: `lib/${name}`, imports: [...EVERYWHERE, ...imports] };
}

/** Creates a room that handles requests and may use the log and the metrics. */
function service(name: string, ...imports: readonly string[]): Wall {
  return room(name, 'lib/log', 'lib/metrics', ...imports);
}

export const WALLS: readonly Wall[] = [
  room('errors'),
  room('platform'),
  room('contract'),
  room('config'),
  room('cursors'),
  room('log'),
  room('metrics'),
  room('net'),
  room('http', 'lib/log', 'lib/metrics'),
  room('images'),
  service('tokens', 'lib/config'),
  service('artifacts', 'lib/images'),
  service('inputs', 'lib/images', 'lib/net', 'lib/artifacts ports'),
  service('providers', 'lib/images', 'lib/net'),
  service('admission'),
  service(
    'generation',
    'lib/images',
    'lib/inputs',
    'lib/providers',
    'lib/admission',
    'lib/artifacts',
  ),
  service('usage', 'lib/generation types'),
  service('runs', 'lib/generation', 'lib/artifacts'),
  service('idempotency'),
  service('sessions', 'lib/providers ports', 'lib/generation ports'),
  service('presets', 'lib/cursors'),
  service(
    'image-requests',
    'lib/runs',
    'lib/generation',
    'lib/idempotency',
    'lib/inputs',
    'lib/usage types',
  ),
  service('openai', 'lib/generation types', 'lib/image-requests types'),
  service('plans', 'lib/generation', 'lib/openai'),
  service('webhooks', 'lib/config', 'lib/net'),
  service(
    'jobs',
    'lib/cursors',
    'lib/runs',
    'lib/generation',
    'lib/inputs',
    'lib/artifacts ports',
    'lib/usage types',
    'lib/image-requests types',
    'lib/webhooks types',
  ),
  room('mcp', 'lib/images types'),
  service('diagnostics', 'lib/* ports'),
  {
    ...room('storage', 'lib/* ports'),
    entries: [
      'lib/storage/open-stores.ts',
      'lib/storage/read-artifacts.ts',
      'lib/storage/inspect-state.ts',
    ],
  },
  { room: 'lib/services.ts', imports: ['lib/* types'] },
  { room: 'lib/app-artifacts.ts', imports: ['lib/*'] },
  { room: 'lib/app-jobs.ts', imports: ['lib/*'] },
  { room: 'lib/app-runs.ts', imports: ['lib/*'] },
  { room: 'lib/app.ts', imports: ['lib/*'] },
  {
    room: 'handlers/operation.ts',
    imports: ['lib/http', 'lib/contract', 'lib/errors', 'lib/services.ts types'],
  },
  {
    room: 'handlers/*',
    imports: [
      'lib/http',
      'lib/contract',
      'lib/errors',
      'lib/services.ts types',
      'handlers/operation.ts',
    ],
    isClosed: true,
  },
  {
    room: 'handlers/errors',
    imports: [
      'lib/http',
      'lib/contract',
      'lib/errors',
      'lib/services.ts types',
      'handlers/operation.ts',
    ],
    isClosed: true,
  },
  {
    room: 'handlers/routes.ts',
    imports: ['lib/http types', 'lib/services.ts types', 'handlers/*'],
  },
  { room: 'local-runtime/client', imports: ['lib/contract', 'lib/platform'] },
  {
    room: 'local-runtime/mcp',
    imports: [
      'lib/platform',
      'lib/images types',
      'lib/http types',
      'lib/mcp',
      'lib/services.ts types',
      'handlers/routes.ts types',
      'local-runtime/client',
    ],
  },
  {
    room: 'local-runtime/server',
    imports: ['lib/*', 'handlers/routes.ts', 'handlers/errors', 'local-runtime/mcp'],
  },
  {
    room: 'local-runtime/gateway',
    imports: [
      'lib/platform',
      'lib/errors',
      'lib/metrics',
      'lib/net',
      'lib/http',
      'local-runtime/server',
    ],
  },
  {
    room: 'local-runtime/cli',
    imports: [
      'lib/*',
      'handlers/routes.ts',
      'local-runtime/client',
      'local-runtime/mcp',
      'local-runtime/server',
      'local-runtime/gateway',
    ],
  },
  { room: 'local-runtime/main.ts', imports: ['local-runtime/server', 'local-runtime/cli'] },
  { room: 'dashboard', imports: [] },
];

/** The sources of the page. Its packages are bundled into its files, so they are development dependencies. */
const PAGE = /^dashboard\/src\//;

/** The files that a page imports besides code. */
const ASSET = /^dashboard\/src\/.+\.(css|json|svg)$/;

/** The home of each outside package, as a prefix of paths. A package that is not listed may not be imported. */
export const HOMES: Readonly<Record<string, readonly RegExp[]>> = {
  valibot: [/^(handlers|lib|local-runtime)\//],
  '@valibot/to-json-schema': [/^lib\/contract\//],
  '@modelcontextprotocol/server': [
    /^(lib|local-runtime)\/mcp\//,
    /^local-runtime\/cli\/commands\/mcp\.ts$/,
  ],
  '@middy/core': [/^lib\/http\//],
  '@middy/http-json-body-parser': [/^lib\/http\//],
  '@fastify/busboy': [/^lib\/http\//],
  hono: [/^local-runtime\/server\/listener\//],
  '@hono/node-server': [/^local-runtime\/server\/listener\//],
  commander: [/^local-runtime\/cli\/command-line\.ts$/],
  undici: [/^lib\/net\//],
  'ipaddr.js': [/^lib\/net\//],
  'better-sqlite3': [/^lib\/storage\//, /^local-runtime\/server\/locks\//],
  sharp: [/^lib\/images\//],
  'fast-xml-parser': [/^lib\/images\//],
  'prom-client': [/^lib\/metrics\//],
  '@aws-lambda-powertools/logger': [/^lib\/log\//],
  'smol-toml': [/^lib\/config\//],
  yaml: [/^local-runtime\/cli\//],
  piscina: [/^lib\/platform\//],
  'lru-cache': [/^lib\/artifacts\//],
  vite: [/^dashboard\/vite\.config\.ts$/],
  preact: [PAGE],
  '@preact/signals': [PAGE],
  lucide: [PAGE],
  'openapi-fetch': [/^dashboard\/src\/api\//],
  'eventsource-parser': [/^dashboard\/src\/api\//, /^local-runtime\/(client|mcp)\//],
  '@floating-ui/dom': [/^dashboard\/src\/controls\//],
  tinykeys: [/^dashboard\/src\/shell\//],
  '@tanstack/virtual-core': [/^dashboard\/src\/gallery\//],
  'd3-zoom': [/^dashboard\/src\/(job|mask|zoom)\//],
  'd3-selection': [/^dashboard\/src\/(job|mask)\//],
  'idb-keyval': [/^dashboard\/src\/make\//],
  'client-zip': [PAGE],
  diff: [/^dashboard\/src\/job\//],
};

/** Returns the imports that the rooms do not allow, and imports of missing files. */
export function wallBreaches(files: readonly SourceFile[]): readonly string[] {
  const known = new Set(files.map(({ path }) => path));
  const homeless = files
    .filter(({ path }) => wallOf(path) === undefined)
    .map(({ path }) => `${path}: no row of the table covers this file`);
  const breaches = files.flatMap(importsOf).flatMap((one) => {
    if (one.specifier === '') return [`${one.from}: imports something that is no literal`];
    if (one.to === undefined || mayImport(one) || isAsset(one)) return [];
    return [`${one.from} imports ${one.specifier}: ${reasonOf(one.to, known)}`];
  });
  return [...homeless, ...breaches];

  function mayImport(one: Import): boolean {
    return one.to !== undefined && known.has(one.to) && isAllowed(one, one.to);
  }
}

/** Returns true for a style sheet, text or drawing of the page, which the build of the page resolves. */
function isAsset({ from, to = '' }: Import): boolean {
  return from.startsWith('dashboard/src/') && ASSET.test(to);
}

/** Returns the imports of packages outside their home and of undeclared packages, and the unused dependencies. */
export function packageBreaches(
  files: readonly SourceFile[],
  dependencies: readonly string[],
): readonly string[] {
  const declared = new Set(dependencies);
  const imports = files.flatMap(importsOf).filter((one) => one.package !== undefined);
  const used = new Set(imports.map((one) => one.package));
  return [
    ...imports.flatMap(({ from, specifier, package: name = '' }) => {
      const homes = HOMES[name];
      if (!homes) return [`${from} imports ${specifier}: the package has no home`];
      if (!homes.some((home) => home.test(from))) {
        return [`${from} imports ${specifier}: the package's home is elsewhere`];
      }
      return declared.has(name) ? [] : [`${from} imports ${specifier}: package.json lacks it`];
    }),
    ...dependencies
      .filter((name) => !used.has(name))
      .map((name) => `package.json depends on ${name}: no file imports it`),
  ];
}

/** Returns the cycles of imports, including type-only imports. Each cycle is reported once, from its alphabetically first file. */
export function cycles(files: readonly SourceFile[]): readonly string[] {
  const targets = new Map(
    files.map((file) => [file.path, importsOf(file).flatMap(({ to }) => to ?? [])]),
  );
  const found = new Set<string>();
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      found.add(ring(trail.slice(start)));
      return;
    }
    if (finished.has(path)) return;
    trail.push(path);
    for (const target of targets.get(path) ?? []) visit(target);
    trail.pop();
    finished.add(path);
  };
  for (const path of targets.keys()) visit(path);
  return [...found];
}

/** Returns the files that re-export names of other files. */
export function barrels(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    reexportsOf(file).map((what) => `${file.path} hands on ${what}: no barrel files`),
  );
}

function isAllowed({ from, isTypeOnly }: Import, to: string): boolean {
  const [source, target] = [wallOf(from), wallOf(to)];
  if (!source || !target) return false;
  if (source !== target && target.entries && !target.entries.includes(to)) return false;
  if (isPort(from)) return isPortImport(to, source, target, isTypeOnly);
  if (source === target) return !source.isClosed;
  return source.imports.some((allowance) => covers(allowance, source, target, to, isTypeOnly));
}

/** Returns true if a port may import the file. A port may import only types of the common rooms, and other ports. */
function isPortImport(to: string, source: Wall, target: Wall, isTypeOnly: boolean): boolean {
  if (isPort(to)) return source === target || isAbove(target, source);
  return EVERYWHERE.some((allowance) => covers(allowance, source, target, to, isTypeOnly));
}

function covers(
  allowance: string,
  source: Wall,
  target: Wall,
  to: string,
  isTypeOnly: boolean,
): boolean {
  const [name = '', part] = allowance.split(' ');
  const isNamed = name === target.room || (name === 'lib/*' && to.startsWith('lib/'));
  if (!isNamed || !isAbove(target, source)) return false;
  if (part === 'ports') return isPort(to);
  return part === 'types' ? isTypeOnly : true;
}

function isAbove(target: Wall, source: Wall): boolean {
  return WALLS.indexOf(target) < WALLS.indexOf(source);
}

function isPort(path: string): boolean {
  return path.startsWith('lib/') && path.endsWith('-port.ts');
}

function wallOf(path: string): Wall | undefined {
  const [top = '', second = '', ...rest] = path.split('/');
  const exact = `${top}/${second}`;
  const listed = WALLS.find((wall) => wall.room === top || wall.room === exact)?.room;
  const fallback = top === 'handlers' && rest.length === 1 ? 'handlers/*' : undefined;
  return WALLS.find((wall) => wall.room === (listed ?? fallback));
}

function reasonOf(to: string, known: ReadonlySet<string>): string {
  if (to.startsWith('test/')) return 'the program must not import tests';
  return known.has(to) ? 'there is a wall' : 'there is no such file';
}

function ring(paths: readonly string[]): string {
  const first = paths.indexOf([...paths].sort()[0] ?? '');
  const turned = [...paths.slice(first), ...paths.slice(0, first)];
  return `a cycle of imports: ${[...turned, turned[0]].join(' → ')}`;
}
