import * as v from 'valibot';
import { parseSize } from '../../../../lib/contract/request/parameters.ts';
import { FAILURES } from '../../../../lib/providers/backend/failures.ts';
import { NO_IMAGES, toPromptText } from '../../../../lib/providers/backend/sent-images.ts';
import { TASK_FAILURES } from '../../../../lib/providers/task/task-failures.ts';
import type {
  TaskModel,
  TaskService,
  TaskState,
} from '../../../../lib/providers/task/task-service.ts';
import { describeTaskService } from '../../../contracts/task-service.ts';
import { readJson } from '../../../support/images-upstream/request/fields.ts';
import type { EmulatedService, Phase } from '../../../support/task-upstream/emulated-service.ts';
import { Refusal } from '../../../support/upstream/refusal.ts';

// A service that exists only in this file. The file shows that a new service is data and pure functions, and that its
// emulator is all that the contract tests need.

const MODEL: TaskModel = {
  capabilities: {
    edits: false,
    sizes: { auto: true, allowed: ['512x512'], arbitrary: false },
    output_formats: ['png'],
    reference_images: NO_IMAGES,
    edit_images: NO_IMAGES,
  },
  inputLimits: NO_IMAGES,
  inputs: ({ request, seed }) => ({
    text: toPromptText(request),
    seed,
    edge: parseSize(request.parameters.size)?.width ?? 512,
  }),
};

const Job = v.object({
  ref: v.string(),
  state: v.string(),
  pictures: v.optional(v.array(v.string()), []),
  price: v.optional(v.number()),
  links: v.object({ self: v.string(), stop: v.string() }),
});
type Job = v.InferOutput<typeof Job>;

const ENDED: Readonly<Record<string, TaskState>> = {
  broken: { phase: 'failed', failure: { row: TASK_FAILURES.failed } },
  rejected: { phase: 'failed', failure: { row: FAILURES.safety } },
  dropped: { phase: 'cancelled', effect: 'not_begun' },
  stopped: { phase: 'cancelled', effect: 'unknown' },
  forgotten: { phase: 'lost' },
};

function stateOf({ state, pictures, price }: Job): TaskState {
  if (state === 'ready') {
    const charge = price === undefined ? {} : { charge: { amount: String(price) } };
    return { phase: 'done', images: pictures, ...charge };
  }
  return ENDED[state] ?? { phase: 'waiting', isRunning: state === 'painting' };
}

const PAINTER: TaskService = {
  displayName: 'Painter',
  baseUrl: 'https://painter.example',
  apiHosts: ['painter.example'],
  resultHosts: ['*.painter.example'],
  limits: { requestsPerMinute: 60 },
  keyHeaders: (key) => ({ 'x-token': key }),
  model: (name) => (name === 'oil' ? MODEL : undefined),
  submission: (call) => ({
    path: '/jobs',
    body: { json: (images) => ({ style: call.request.model, ...call.model.inputs(call, images) }) },
  }),
  accepted({ value }) {
    const parsed = v.safeParse(Job, value);
    if (!parsed.success) return undefined;
    const { ref, links } = parsed.output;
    const ticket = { id: ref, poll: links.self, cancel: links.stop };
    return { ticket, state: stateOf(parsed.output) };
  },
  polled({ value }) {
    const parsed = v.safeParse(Job, value);
    return parsed.success ? stateOf(parsed.output) : undefined;
  },
  cancelMethod: 'POST',
  failure: ({ value }) => (v.is(v.object({ problem: v.string() }), value) ? {} : undefined),
};

const Sent = v.strictObject({
  style: v.literal('oil'),
  text: v.string(),
  seed: v.number(),
  edge: v.literal(512),
});

const STATES: Readonly<Record<Phase, string>> = {
  queued: 'waiting',
  running: 'painting',
  unheard_of: 'drying',
  done: 'ready',
  failed: 'broken',
  moderated: 'rejected',
  aborted: 'dropped',
  canceled: 'stopped',
  lost: 'forgotten',
};

const toReply: EmulatedService['polled'] = ({ id, phase, urls, images, charge }) => ({
  status: 200,
  json: {
    ref: id,
    state: STATES[phase],
    ...(phase === 'done' ? { pictures: images, price: Number(charge) } : {}),
    links: { self: urls.poll, stop: urls.cancel },
  },
});

const PAINTER_UPSTREAM: EmulatedService = {
  name: 'painter',
  model: 'oil',
  keyHeader: { name: 'x-token', prefix: '' },
  isSubmission: (path) => path === '/jobs',
  async check({ headers, body }) {
    const parsed = v.safeParse(Sent, readJson(headers, body).values);
    if (!parsed.success) throw new Refusal({ status: 400, code: 'invalid', message: 'invalid' });
    const { style, text, edge } = parsed.output;
    return {
      model: style,
      prompt: text,
      count: 1,
      width: edge,
      height: edge,
      format: 'png',
      inputs: 0,
      fields: parsed.output,
    };
  },
  paths: (id) => ({ poll: `/jobs/${id}`, cancel: `/jobs/${id}/stop` }),
  accepted: toReply,
  polled: toReply,
  cancel: { method: 'POST', statesNotBegun: true, reply: toReply },
  errorBody: ({ message }) => ({ problem: message }),
  charge: () => 2_500_000_000n,
};

describeTaskService({
  service: PAINTER,
  emulated: PAINTER_UPSTREAM,
  billed: (amount) => ({ cost: { amount } }),
});
