// Bundles the compiled program into a few files, because loading some three hundred small files would take longer than the
// rest of a start. Modules that a command imports later stay in separate files.
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';

const dir = 'dist/bundle';

// Packages that consist of many small files and are loaded at each start of the service or of the tools for agents. Packages
// that are large, native or rarely needed are not bundled.
const JOINED = [
  '@aws/lambda-invoke-store',
  '@aws-lambda-powertools/commons',
  '@aws-lambda-powertools/logger',
  '@fastify/busboy',
  '@hono/node-server',
  '@middy/core',
  '@middy/http-json-body-parser',
  '@middy/util',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  'commander',
  'eventsource-parser',
  'hono',
  'ipaddr.js',
  'lru-cache',
  'smol-toml',
  'valibot',
  'zod',
];

// The files of the bundle. Each file contains the matching modules and all their imports that no earlier file contains.
// Without this table, the code of `serve` would be split into some forty files, and Node takes half a millisecond to load
// each file. Modules that are loaded on demand, such as `contract/json-schema`, must not match.
const FILES = {
  // The modules that run before the command line is parsed.
  start: /local-runtime\/(server\/node-version|cli\/stop-signals)\.js$/,
  'storage-thread': /\/lib\/storage\/storage-thread\.js$/,
  'command-line': /local-runtime\/cli\/command-line\.js$/,
  contract: /\/lib\/(errors|contract(?!\/json-schema)|platform)\//,
  config:
    /\/lib\/(config\/|providers\/credentials\/key-source\.js$)|local-runtime\/cli\/quickstart-presets\.js$/,
  gateway: /local-runtime\/cli\/commands\/gateway\.js$/,
  containers: /\/lib\/images\/container\//,
  // Excludes the parts that a bridge with SQLite and a folder does not load.
  storage:
    /\/lib\/(storage(?!\/(postgres|s3|move))|tokens)\/|\/local-runtime\/server\/(locks\/|bearer\.js$)/,
  serve: /local-runtime\/cli\/commands\/serve\.js$/,
  router: /local-runtime\/server\/listener\/mount-routes\.js$/,
  images: /\/lib\/images\//,
  providers: /\/lib\/providers\//,
  app: /\/lib\/app-objects\.js$/,
  'mcp-schemas': /\/node_modules\/(@modelcontextprotocol\/core|zod)\//,
};

// Replacements for imports of a package, by the name of the package.
const REPLACEMENTS = {
  // Makes `--help` a fifth faster. Importing `node:process` opens the standard streams, and Commander needs the other modules
  // only for commands that are separate programs.
  commander: {
    'node:process': 'export default globalThis.process;',
    'node:fs': 'export default {};',
    'node:child_process': 'export default {};',
  },
  // Omits Ajv, a third of the code of this library. Only a server that asks for input with its own JSON Schema validates with
  // Ajv, and the bridge asks for none.
  '@modelcontextprotocol/server': {
    '@modelcontextprotocol/server/_shims': `
      export const process = globalThis.process;
      export class DefaultJsonSchemaValidator {
        getValidator() { throw new Error('the bundle contains no JSON Schema validator'); }
      }`,
  },
};

// An import of a builtin module reads all its exports, and so loads what they need: `node:http` loads the whole implementation
// of `fetch`. `getBuiltinModule` returns the module without reading its exports.
const builtinsWithoutImports = {
  name: 'builtins-without-imports',
  renderChunk: (code) =>
    code.replaceAll(
      /^import (\w+)?(?:, )?(?:\{([^}]*)\})? ?from "(node:[a-z0-9_/]+)";$/gm,
      (_statement, whole, names, id) => {
        const target = [whole, names && `{${names.replaceAll(' as ', ': ')}}`].filter(Boolean);
        return target
          .map((one) => `const ${one} = globalThis.process.getBuiltinModule("${id}");`)
          .join(' ');
      },
    ),
};

await rm(dir, { recursive: true, force: true });
// Removes the compile cache of an earlier build. The program writes this cache when it ends.
await rm('dist/compile-cache', { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: 'dist/local-runtime/main.js', function: 'dist/local-runtime/functions/main.js' },
  platform: 'node',
  external: (id, from) =>
    !/^[./\0]/.test(id) && !isJoined(id) && replacementOf(id, from) === undefined,
  plugins: [
    builtinsWithoutImports,
    {
      name: 'replacements',
      resolveId: (id, from) => (replacementOf(id, from) === undefined ? null : `\0${id}`),
      load: (id) =>
        Object.values(REPLACEMENTS).find((codes) => id.slice(1) in codes)?.[id.slice(1)],
    },
  ],
});
// All groups have the same priority: a module that matches several groups belongs to the first.
const groups = Object.entries(FILES).map(([name, test]) => ({ name, test }));
await bundle.write({ dir, format: 'esm', comments: false, codeSplitting: { groups } });
await bundle.close();
// npm makes the program executable only when npm installs the package or the link to this checkout. A later build replaces the file.
await chmod(`${dir}/main.js`, 0o755);
// The storage thread starts with the service. In a file of its own, it loads only the parts that it needs.
const thread = await rolldown({
  input: 'dist/lib/storage/sqlite/storage-worker.js',
  platform: 'node',
  plugins: [builtinsWithoutImports],
  external: (id) => !/^[./]/.test(id) && !isJoined(id),
});
await thread.write({ dir, format: 'esm', comments: false });
await thread.close();
await writeFile(`${dir}/LICENSES.txt`, (await Promise.all(JOINED.map(licenceOf))).join('\n\n'));

/** Returns the code that replaces an import, or undefined. */
function replacementOf(id, from) {
  const inPackage = ([name]) => from?.includes(`/node_modules/${name}/`);
  return Object.entries(REPLACEMENTS).find(inPackage)?.[1][id];
}

function isJoined(id) {
  return JOINED.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Returns the name, the version and the licence of a package, with the text of the licence if the package contains it. */
async function licenceOf(name) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n\n${await readFile(`${folder}/${file}`, 'utf8')}`;
  return `${name} ${version}: ${license}${text}`;
}
