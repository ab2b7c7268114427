import * as v from 'valibot';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createCalls } from '../upstream/calls.ts';
import { closeUpstream } from '../upstream/close-upstream.ts';
import { createImages } from '../upstream/images.ts';
import { type Handler, listen } from '../upstream/listener.ts';
import { Refusal } from '../upstream/refusal.ts';
import { createCallHandler, type ReceivedCall } from '../upstream/run-call.ts';
import { createScript } from '../upstream/script.ts';
import { UPSTREAM_TEXT } from '../upstream/upstream-text.ts';
import { BEHAVIOURS, type Behaviour, type BehaviourName } from './behaviours.ts';
import { checkWorkflow, type Workflow } from './check-workflow.ts';
import { createInputFiles } from './input-files.ts';
import { createOutputFiles } from './output-files.ts';
import { createPromptQueue } from './prompt-queue.ts';

export interface ComfyOptions {
  /** Port to listen on. 0 for a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  /** Size of an image. */
  readonly imageBytes?: number;
  /** Bearer token that a proxy in front of the server requires. */
  readonly token?: string;
  /** True for a server that chooses the ids of prompts itself and interrupts any running prompt. */
  readonly isOld?: boolean;
}

const Uuid = v.pipe(v.string(), v.uuid());
const Submission = v.strictObject({ prompt: v.unknown(), client_id: Uuid, prompt_id: Uuid });
const Removal = v.strictObject({ delete: v.array(v.string()) });
const Interruption = v.strictObject({ prompt_id: v.string() });

const PAGE = `<!doctype html><title>${UPSTREAM_TEXT}</title>`;

export type ComfyUpstream = Awaited<ReturnType<typeof createComfyUpstream>>;

/** Starts an emulator of a ComfyUI server on 127.0.0.1. */
export async function createComfyUpstream(options: ComfyOptions = {}) {
  const { port = 0, clock = systemClock, imageBytes = 300_000, token, isOld = false } = options;
  const ids = createIds(clock.nowMs);
  const calls = createCalls({ clock, keepsBodies: true, onEnd: () => undefined });
  const inputs = createInputFiles();
  const outputs = createOutputFiles({ images: createImages(), inputs: inputs.all, imageBytes });
  const queue = createPromptQueue({
    draw: outputs.draw,
    onChange: calls.wake,
    onFailure: calls.fail,
  });
  const script = createScript<BehaviourName, Behaviour, object>({
    behaviours: BEHAVIOURS,
    settings: {},
    promptField: 'prompt',
  });
  const failuresLeft = new Map<string, { readonly times: number; readonly status: number }>();

  /** A route. Its reply is JSON, bytes, or no reply at all. */
  function route(reply: (call: ReceivedCall) => Promise<unknown> | unknown): Handler {
    return createCallHandler(
      calls,
      async (call) => {
        checkToken(call, token);
        const value = await reply(call);
        if (value === undefined) return;
        const isBytes = Buffer.isBuffer(value);
        call.response.writeHead(200, {
          'content-type': isBytes ? 'image/png' : 'application/json',
        });
        call.response.end(isBytes ? value : JSON.stringify(value));
      },
      ({ code, message, param }) => ({
        error: { type: code, message: `${message}: ${UPSTREAM_TEXT}`, details: '', extra_info: {} },
        node_errors: param === undefined ? {} : { [param]: { errors: [{ type: code }] } },
      }),
    );
  }

  function submit(call: ReceivedCall): unknown {
    const { prompt, prompt_id } = parsed(call, Submission);
    if (queue.all().some(({ id }) => id === prompt_id)) throw refused('duplicate_prompt');
    const workflow = checkWorkflow(prompt, inputs.all());
    const { behaviour } = script.next(textOf(workflow));
    call.notify({ behaviour: behaviour.name });
    const { submission } = behaviour;
    const id = isOld ? ids.newUuid() : prompt_id;
    if (submission?.isQueued !== false) {
      const { failing } = behaviour;
      if (failing) failuresLeft.set(failing.route, { status: 500, ...failing });
      queue.add({ id, workflow, behaviour });
    }
    if (submission) return replyOtherwise(call, submission.reply);
    return { prompt_id: id, number: queue.all().length, node_errors: {} };
  }

  function failing(name: 'history' | 'queue' | 'view'): void {
    const left = failuresLeft.get(name);
    if (!left || left.times === 0) return;
    failuresLeft.set(name, { ...left, times: left.times - 1 });
    throw new Refusal({ status: left.status, code: 'server_error', message: 'it failed' });
  }

  const routes = {
    'POST /upload/image': route(({ body, incoming }) =>
      inputs.take(body, incoming.headers['content-type'] ?? ''),
    ),
    'POST /prompt': route(submit),
    'GET /history/*': route(({ incoming }) => {
      failing('history');
      return queue.historyOf((incoming.url ?? '').split('/').at(-1) ?? '');
    }),
    'GET /queue': route(() => {
      failing('queue');
      return queue.listed();
    }),
    'POST /queue': route((call) => {
      queue.remove(parsed(call, Removal).delete);
      return {};
    }),
    'POST /interrupt': route((call) => {
      const { prompt_id } = parsed(call, Interruption);
      queue.interrupt(isOld ? undefined : prompt_id);
      return {};
    }),
    'GET /view': route(({ incoming }) => {
      failing('view');
      const file = outputs.find(new URL(incoming.url ?? '', 'http://localhost').searchParams);
      if (!file) throw new Refusal({ status: 404, code: 'not_found', message: 'no such file' });
      return file;
    }),
  };
  const listener = await listen({ port, routes, onChange: calls.wake });

  return {
    url: `http://127.0.0.1:${listener.port}`,

    /** Queues the behaviours of the next prompts. A rejected prompt uses none. */
    script: (...names: readonly BehaviourName[]) => script.add(names),
    hold: queue.hold,
    /** Adds a prompt of another client to the queue. */
    addForeign(behaviour: BehaviourName, workflow: Workflow): void {
      const how = BEHAVIOURS.get(behaviour);
      if (how) queue.add({ id: ids.newUuid(), workflow, behaviour: how });
    },

    /** Every accepted prompt, in the order of arrival. */
    get prompts() {
      return queue.all();
    },
    /** Method and path of every request, without the query. */
    get requests() {
      return calls.all().map(({ path }) => path.split('?')[0] ?? '');
    },
    get calls() {
      return calls.all();
    },
    get unrouted() {
      return listener.unrouted();
    },
    files: inputs.all,
    until: calls.until,

    /** Resolves when no request is running. Throws errors of the emulator itself. */
    close: () => closeUpstream(listener, calls),
  };
}

function replyOtherwise(call: ReceivedCall, reply: number | 'page' | 'cut'): undefined {
  const { response, incoming, notify } = call;
  if (reply === 'cut') {
    notify({ outcome: 'cut' });
    incoming.socket.destroy();
  } else if (reply === 'page') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(PAGE);
  } else {
    response.writeHead(reply, { 'content-type': 'text/html' });
    response.end(PAGE);
  }
  return undefined;
}

function checkToken({ incoming }: ReceivedCall, token: string | undefined): void {
  const { authorization } = incoming.headers;
  if (authorization === (token === undefined ? undefined : `Bearer ${token}`)) return;
  throw new Refusal({ status: 401, code: 'unauthorized', message: 'the token is wrong' });
}

function parsed<T>({ body, incoming }: ReceivedCall, schema: v.GenericSchema<unknown, T>): T {
  if (incoming.headers['content-type'] !== 'application/json') throw refused('content_type');
  const result = v.safeParse(schema, parseJson(body));
  if (result.success) return result.output;
  throw refused('bad_body');
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw refused('not_json');
  }
}

function refused(code: string): Refusal {
  return new Refusal({ status: 400, code, message: 'the request is wrong' });
}

/** Returns all texts of a workflow. */
function textOf(workflow: Workflow): string {
  return Object.values(workflow)
    .map(({ inputs }) => String(inputs['text'] ?? ''))
    .join('\n');
}
