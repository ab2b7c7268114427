/**
 * A stand-in for the agent. It speaks the protocol of the agent on standard input and output, and produces the faults that a
 * prompt requests with `[[fault]]` or `[[fault=value]]`.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readSettings } from './settings.ts';
import { createThreads } from './threads.ts';
import { runScriptedTurn } from './turn.ts';
import type { Reply, Request, Wire } from './wire.ts';

const settings = readSettings(process.argv.slice(2));
const home = process.env['CODEX_HOME'] ?? '.';
const threads = createThreads(home);
const replies = new Map<number, (reply: Request) => void>();
let nextId = 0;
let isInitialized = false;

if (settings['never-exits']) process.on('SIGTERM', () => {});
if (settings.grandchild) {
  const forever = 'setInterval(() => {}, 1000)';
  const grandchild = spawn(process.execPath, ['-e', forever], { stdio: 'inherit' });
  note({ grandchild: grandchild.pid });
}
note({ pid: process.pid, argv: process.argv.slice(2), env: process.env, cwd: process.cwd() });

if (settings.greets) process.stdout.write('Welcome to the agent\n');

const wire: Wire = {
  settings,
  note,
  raw: (text) => process.stdout.write(text),
  send: (message) => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  },
  ask(method, params) {
    const id = nextId;
    nextId += 1;
    wire.send({ id, method, params });
    return new Promise((resolve) => replies.set(id, resolve));
  },
};

function note(entry: object): void {
  if (settings.log === undefined) return;
  mkdirSync(settings.log, { recursive: true });
  appendFileSync(join(settings.log, `${process.pid}.jsonl`), `${JSON.stringify(entry)}\n`);
}

function handle(request: Request): Reply | Promise<Reply> | undefined {
  const { method = '', params = {} } = request;
  if (method === settings['exit-at']) process.exit(3);
  if (method === settings['silent-at']) return undefined;
  if (!isInitialized && method !== 'initialize') return { error: 'Not initialized' };
  switch (method) {
    case 'initialize':
      isInitialized = true;
      return { result: { userAgent: 'stand-in', codexHome: home } };
    case 'account/login/start':
      return { result: { type: params['type'] } };
    case 'account/read': {
      if (settings.account === 'error') return { error: 'workspace routing discovery failed' };
      const account = settings.account === 'none' ? null : { type: settings.account };
      return { result: { account, requiresOpenaiAuth: true } };
    }
    case 'thread/start':
      return { result: { thread: { id: threads.start() } } };
    case 'thread/resume':
      return threads.resume(String(params['threadId']));
    case 'thread/delete':
      return threads.delete(String(params['threadId']));
    case 'turn/interrupt':
      return threads.interrupt(String(params['threadId']));
    case 'turn/start':
      return startTurn(params);
    default:
      return { error: `unknown variant \`${method}\`` };
  }
}

function startTurn(params: Readonly<Record<string, unknown>>): Reply | undefined {
  const threadId = String(params['threadId']);
  const begun = threads.begin(threadId);
  if ('error' in begun) return begun;
  return runScriptedTurn(wire, { ...begun, threadId, home, params });
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const request: Request = JSON.parse(line);
    note({ received: request });
    if (request.method === undefined) {
      replies.get(Number(request.id))?.(request);
      return;
    }
    const reply = await handle(request);
    if (request.id === undefined || !reply) return;
    wire.send(
      'error' in reply
        ? { id: request.id, error: { code: -32600, message: reply.error } }
        : { id: request.id, result: reply.result },
    );
    reply.after?.();
  })
  .on('close', () => {
    if (!settings['never-exits']) process.exit(0);
    setInterval(() => {}, 1000);
  });

writeFileSync(join(home, 'models_cache.json'), '{}');
