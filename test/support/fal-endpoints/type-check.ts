import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENDPOINT_TYPES } from './endpoint-schemas.ts';

const COMPILER = fileURLToPath(
  new URL('../../../node_modules/typescript-7/bin/tsc', import.meta.url),
);

/** The classes that the declarations mention, so that the compiler need not read the library of browsers. */
const GLOBALS =
  'declare class Blob { readonly blob: true }\ndeclare class File { readonly file: true }\n';

interface EndpointBody {
  readonly endpoint: string;
  readonly body: object;
}

/**
 * Resolves with the messages of the compiler for bodies that do not have the input type of their endpoint. An unknown
 * member is such a message too.
 */
export async function typeFaults(bodies: readonly EndpointBody[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fal-bodies-'));
  try {
    const types = JSON.stringify(ENDPOINT_TYPES.replace(/\.d\.ts$/, '.js'));
    const lines = bodies.map(
      ({ endpoint, body }, at) =>
        `export const body${at}: EndpointTypeMap[${JSON.stringify(endpoint)}]['input'] = ${JSON.stringify(body)};`,
    );
    const text = `import type { EndpointTypeMap } from ${types};\n${lines.join('\n')}\n`;
    await writeFile(join(folder, 'bodies.ts'), text);
    await writeFile(join(folder, 'globals.d.ts'), GLOBALS);
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--lib',
      'es2023',
    ];
    const output = await run([
      COMPILER,
      ...options,
      '--types',
      '',
      join(folder, 'bodies.ts'),
      join(folder, 'globals.d.ts'),
    ]);
    return output.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves with the output of the compiler, which exits with 1 or 2 if it has found errors. */
function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout) => {
      if (error && ![1, 2].includes(Number(error.code))) reject(error);
      else resolve(stdout);
    });
  });
}
