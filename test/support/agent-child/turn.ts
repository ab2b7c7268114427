import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainPng } from './png.ts';
import type { Begun } from './threads.ts';
import type { Reply, Wire } from './wire.ts';

interface TurnStart extends Begun {
  readonly threadId: string;
  readonly home: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface TextItem {
  readonly type: string;
  readonly text?: string;
  readonly path?: string;
}

const FAULT = /\[\[([a-z0-9-]+)(?:=(.*?))?\]\]/gs;

let made = 0;

/** Messages between the reply to the next start of a turn and its first notification. */
const afterNextStart: (() => void)[] = [];

/** Runs one turn as its prompt requests. Returns undefined if the turn is never confirmed. */
export function runScriptedTurn(wire: Wire, start: TurnStart): Reply | undefined {
  const items = start.params['input'] as readonly TextItem[];
  const text = items.find(({ type }) => type === 'text')?.text ?? '';
  const faults = new Map([...text.matchAll(FAULT)].map(([, name, value]) => [name, value ?? '']));
  if (faults.has('crash-at-start')) process.exit(3);
  if (faults.has('refuse')) {
    start.end();
    return { error: 'refused' };
  }
  if (faults.has('no-reply')) return undefined;
  const paths = items.flatMap(({ path }) => path ?? []);
  // The real agent generates the image without a file that it cannot read.
  if (!paths.every((path) => existsSync(path))) faults.set('no-image', '');
  wire.note({ staged: paths.map(toFile) });
  const reply = { turn: { id: start.turn.id, items: [], status: 'inProgress', error: null } };
  return { result: reply, after: () => void play(wire, start, faults) };
}

async function play(
  wire: Wire,
  { threadId, turn, end, unload, home }: TurnStart,
  faults: ReadonlyMap<string | undefined, string>,
): Promise<void> {
  const ids = { threadId, turnId: turn.id };
  const notify = (method: string, params: object) =>
    wire.send({ method, params: { ...ids, ...params } });
  let isOver = false;
  const complete = (status: string, error: unknown = null) => {
    if (isOver) return;
    isOver = true;
    end();
    notify('turn/completed', { turn: { id: turn.id, status, error, items: [] } });
  };
  const crashAt = (step: string) => {
    if (faults.get('crash') === step) process.exit(3);
  };
  const interrupt = (): Reply | undefined => {
    if (faults.has('stubborn')) return { error: 'no active turn to interrupt' };
    if (faults.has('deaf')) return undefined;
    if (faults.has('late-end')) {
      // Some versions report the end of a turn only after the next turn was accepted.
      isOver = true;
      end();
      const completed = { id: turn.id, status: 'interrupted', error: null, items: [] };
      afterNextStart.push(() => notify('turn/completed', { turn: completed }));
      return { result: {} };
    }
    complete('interrupted');
    return { result: {} };
  };

  for (const send of afterNextStart.splice(0)) send();
  crashAt('reply');
  if (faults.has('late-start')) await pause(Number(faults.get('late-start')));
  turn.interrupt = interrupt;
  notify('turn/started', { turn: { id: turn.id } });
  crashAt('started');
  if (faults.has('flood')) await flood(wire, ids, Number(faults.get('flood')));
  if (faults.has('ask')) {
    const replies = [
      await wire.ask('item/tool/call', ids),
      await wire.ask('currentTime/read', ids),
    ];
    if (replies.some(({ error }) => (error as { code?: number })?.code !== -32601)) return;
  }
  if (faults.has('refresh')) {
    const reply = await wire.ask('account/chatgptAuthTokens/refresh', { reason: 'unauthorized' });
    if (!(reply.result as { accessToken?: string })?.accessToken) {
      complete('failed', { message: 'refresh failed', codexErrorInfo: 'unauthorized' });
      return;
    }
  }
  if (faults.has('garbage')) wire.raw('{"method": this is no JSON\n');
  if (faults.has('noise')) wire.raw('this is no JSON\n[1, 2]\n\n');
  if (faults.has('half-line')) {
    wire.raw('{"method":"item/comp');
    process.exit(3);
  }
  if (faults.has('big')) bigLine(wire, ids, Number(faults.get('big')));
  if (faults.has('hang') || faults.has('deaf') || faults.has('stubborn')) return;
  if (faults.has('turn-failed')) {
    complete('failed', JSON.parse(faults.get('turn-failed') ?? ''));
    return;
  }
  if (faults.has('no-image')) {
    complete('completed');
    return;
  }

  const id = 'call_1';
  const item = { type: 'imageGeneration', id, status: 'in_progress', revisedPrompt: null };
  notify('item/started', { item: { ...item, result: '' } });
  crashAt('item-started');
  if (faults.has('failed-image')) {
    const output = faults.get('failed-image');
    const raw = { type: 'function_call_output', call_id: id, output };
    notify('item/completed', { item: { ...item, status: 'failed', result: '' } });
    notify('rawResponseItem/completed', { item: raw });
    complete('completed');
    return;
  }
  if (faults.has('fails-while-drawing')) {
    complete('failed', { message: 'm', codexErrorInfo: 'serverOverloaded' });
    return;
  }
  if (faults.has('early-end')) complete('completed');
  await pause(Number(wire.settings['image-ms']));
  if (isOver && !faults.has('early-end')) return;
  for (let image = 1; image <= Number(faults.get('images') ?? 1); image += 1) {
    made += 1;
    const bytes = plainPng(Number(wire.settings.edge), faults.has('same') ? image : made);
    const folder = join(home, 'generated_images', threadId);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `call_${image}.png`), bytes);
    const result = faults.has('no-base64') ? 'a-_!' : bytes.toString('base64');
    const done = {
      ...item,
      id: `call_${image}`,
      status: 'completed',
      revisedPrompt: 'a fox',
      result,
    };
    const raw = { type: 'function_call_output', call_id: done.id, output: [{ image_url: result }] };
    notify('rawResponseItem/completed', { item: raw });
    notify('item/completed', { item: done });
  }
  crashAt('item-completed');
  if (faults.has('slow-end')) return;
  await pause(5);
  complete(faults.has('fails-after-image') ? 'failed' : 'completed');
  if (faults.has('unload')) unload();
}

async function flood(wire: Wire, ids: object, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    wire.send({ method: 'item/agentMessage/delta', params: { ...ids, delta: 'word ' } });
    if (at % 1000 === 0) await pause(0);
  }
}

function bigLine(wire: Wire, ids: object, bytes: number): void {
  const item = { type: 'other', result: 'A'.repeat(bytes) };
  wire.send({ method: 'item/completed', params: { ...ids, item } });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function toFile(path: string) {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0;
  return { path, mode, base64: bytes.toString('base64') };
}
