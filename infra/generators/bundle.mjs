// Joins the compiled program into few files. Loading some three hundred small ones would take longer than the rest of a
// start. What a command needs only later stays a file of its own.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';

const dir = 'dist/bundle';

// Of many small files, and needed at each start of the service or of the tools for agents. The other packages stay outside:
// they are large, native or rarely needed.
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

// Which modules share a file: these, and what they import unless a file above has it. Without this, `serve` would be cut
// into some forty files along what it has in common with other commands, and Node takes half a millisecond for each.
// What is loaded only when it is needed, such as `contract/json-schema`, must not be among them.
const FILES = {
  // What every command needs before it is known which one it is.
  start: /local-runtime\/(server\/node-version|cli\/stop-signals)\.js$/,
  'command-line': /local-runtime\/cli\/command-line\.js$/,
  contract: /\/lib\/(errors|contract(?!\/json-schema)|platform)\//,
  config: /\/lib\/config\/|local-runtime\/cli\/quickstart-presets\.js$/,
  gateway: /local-runtime\/cli\/commands\/gateway\.js$/,
  images: /\/lib\/images\//,
  storage: /\/lib\/(storage|tokens)\/|\/local-runtime\/server\/(locks\/|bearer\.js$)/,
  providers: /\/lib\/providers\//,
  serve: /local-runtime\/cli\/commands\/serve\.js$/,
};

// Commander's imports of builtin modules, without which `--help` takes a fifth less time: importing `node:process` opens the
// standard streams, and the others are only for commands that are programs of their own.
const BUILTINS = {
  'node:process': 'export default globalThis.process;',
  'node:fs': 'export default {};',
  'node:child_process': 'export default {};',
};

await rm(dir, { recursive: true, force: true });
const bundle = await rolldown({
  input: 'dist/local-runtime/main.js',
  platform: 'node',
  external: (id, from) => !/^[./\0]/.test(id) && !isJoined(id) && !isReplaced(id, from),
  plugins: [
    {
      name: 'builtins-of-commander',
      resolveId: (id, from) => (isReplaced(id, from) ? `\0${id}` : null),
      load: (id) => BUILTINS[id.slice(1)] ?? null,
    },
  ],
});
// Of equal priority: the first one takes a module that several would take.
const groups = Object.entries(FILES).map(([name, test]) => ({ name, test }));
await bundle.write({ dir, format: 'esm', comments: false, codeSplitting: { groups } });
await bundle.close();
await writeFile(`${dir}/LICENSES.txt`, (await Promise.all(JOINED.map(licenceOf))).join('\n\n'));

function isReplaced(id, from) {
  return from?.includes('/node_modules/commander/') && id in BUILTINS;
}

function isJoined(id) {
  return JOINED.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Some packages come without the text of their licence. */
async function licenceOf(name) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n\n${await readFile(`${folder}/${file}`, 'utf8')}`;
  return `${name} ${version}: ${license}${text}`;
}
