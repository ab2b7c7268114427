import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../../../dashboard/src/api/schemas.ts';
import {
  curlCode,
  javascriptCode,
  LANGUAGES,
  type Language,
  pythonCode,
  TOKEN_VARIABLE,
  toRequestCode,
} from '../../../../dashboard/src/job/code/request-code.ts';
import { isInstalled } from '../../../support/outside-tools.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../../support/start-bridge.ts';
import { detail } from '../../support/job-detail.ts';

const run = promisify(execFile);
const TOKEN = 'a-token-of-this-test-0123456789';
/**
 * The program that runs the code of each language. Python can be set to a path, for a machine without Python on its
 * PATH.
 */
const PROGRAMS: Readonly<Record<Language, string>> = {
  curl: 'sh',
  javascript: process.execPath,
  python: process.env['PYTHON_PROGRAM'] ?? 'python3',
};
const hasPython = await isInstalled(PROGRAMS.python, ['--version']);
const RUNNABLE = LANGUAGES.filter((language) => language !== 'python' || hasPython);
const WRITERS = { curl: curlCode, javascript: javascriptCode, python: pythonCode };

/**
 * Text that would end a string, start a command or a substitution, or hide a part of a text, in one of the languages.
 */
const HOSTILE = [
  `it's "quoted" \`id\` $(id) \${HOME} $HOME %s \\ \\n \\`,
  'JSON',
  "'''; \"\"\" ; '\\''",
  '<script>alert(1)</script> {braces} #!/bin/sh',
  'a\u202eb\u200bc\u2028d\u0007e \u{1f3a8}',
].join('\n');

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startBridge({
    env: { CODE_TOKEN: TOKEN },
    set: ['server.bearer_token_env=CODE_TOKEN', 'providers.agent_responses.enabled=false'],
  });
});

afterAll(cleanUp);

async function call(path: string, init: RequestInit = {}): Promise<Job> {
  const reply = await fetch(`${bridge.address}/v1/jobs${path}`, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  });
  if (!reply.ok) throw new Error(`HTTP ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as Job;
}

async function submit(request: object): Promise<Job> {
  const { id } = await call('', { method: 'POST', body: JSON.stringify(request) });
  return call(`/${id}`);
}

/** Runs the code of a language as a user would after copying it. Resolves with the ids that the code has printed. */
async function runCode(language: Language, code: string): Promise<string> {
  const file = join(
    await freshFolder(),
    { curl: 'a.sh', javascript: 'a.mjs', python: 'a.py' }[language],
  );
  await writeFile(file, code);
  const { stdout } = await run(PROGRAMS[language], [file], {
    env: { PATH: process.env['PATH'] ?? '', [TOKEN_VARIABLE]: TOKEN },
  });
  return stdout;
}

async function doAgain(language: Language, job: Job): Promise<Job> {
  const code = WRITERS[language](toRequestCode(job, bridge.address, true));
  expect(code).not.toContain(TOKEN);
  const printed = await runCode(language, code);
  const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(printed) ?? [];
  if (id === undefined) throw new Error(`no job was made: ${printed}`);
  expect(id).not.toBe(job.id);
  return call(`/${id}`);
}

describe.each(RUNNABLE)('the code for repeating a job in %s', (language) => {
  it('sends the same request, whatever the prompt and the labels contain', async () => {
    const job = await submit({
      prompt: HOSTILE,
      negative_prompt: "fog'",
      parameters: { size: '64x64', n: 2, background: 'transparent', output_format: 'webp' },
      routing: {
        provider: 'sandbox',
        fallbacks: [{ provider: 'sandbox', model: 'sandbox-basic' }],
      },
      policies: { compatibility: 'best_effort' },
      metadata: { label: HOSTILE.slice(0, 100), toString: 'a name of its own' },
    });

    expect((await doAgain(language, job)).request).toEqual(job.request);
  });

  it('sends the same images in the same fields and with the same names', async () => {
    const read = async (name: string, type: string, filename?: string) => {
      const bytes = await readFile(new URL(`../../../data/photos/${name}`, import.meta.url));
      const data_url = `data:image/${type};base64,${bytes.toString('base64')}`;
      return { type: 'data_url', data_url, ...(filename !== undefined && { filename }) };
    };
    const job = await submit({
      operation: 'edit',
      prompt: 'the same, at night',
      images: [await read('coffee.png', 'png', `it's $(id) "a" cup.png`)],
      reference_images: [await read('rocket.jpg', 'jpeg'), await read('chelsea.png', 'png')],
      parameters: { size: '64x64' },
    });

    expect((await doAgain(language, job)).request).toEqual(job.request);
  });
});

describe('the code for repeating a job', () => {
  it('contains no token if the bridge requires none', () => {
    for (const language of LANGUAGES) {
      const code = WRITERS[language](toRequestCode(detail(), 'http://127.0.0.1:8787', false));
      expect(code).not.toMatch(/authorization|environ|TOKEN/i);
    }
  });

  it('shows invisible characters as escapes', () => {
    for (const language of LANGUAGES) {
      const job = detail({}, { prompt: HOSTILE });
      const code = WRITERS[language](toRequestCode(job, 'http://127.0.0.1:8787', false));
      expect(code).not.toMatch(/[\u202e\u200b\u2028]/);
      expect(code).toContain('a\\u202eb\\u200bc\\u2028d\\u0007e');
    }
  });

  it('leaves out settings with default values', () => {
    const { settings } = toRequestCode(detail(), 'http://127.0.0.1:8787', false);

    expect(settings).toEqual({
      operation: 'generate',
      prompt: 'A lighthouse at dusk',
      parameters: { size: '1536x1024' },
    });
  });

  it('keeps a label whose name would set the prototype in JavaScript', () => {
    const metadata = JSON.parse('{"__proto__": "kept"}') as Record<string, string>;
    const code = javascriptCode(
      toRequestCode(detail({}, { metadata }), 'http://127.0.0.1:8787', false),
    );

    expect(code).toContain('["__proto__"]: "kept"');
  });
});
