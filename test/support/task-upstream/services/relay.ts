import { openAiError } from '../../images-upstream/dialects/openai.ts';
import { readForm, readJson } from '../../images-upstream/request/fields.ts';
import { OPENAI_MODELS } from '../../images-upstream/request/openai-models.ts';
import { checkOpenAiRequest } from '../../images-upstream/request/openai-request.ts';
import type { EmulatedService, EmulatedTask } from '../emulated-service.ts';

const EDITS = '/v1/images/edits/async';
const ONE_CENT = 100_000_000n;

/** A relay that runs OpenAI's image requests as tasks. It reports no cost and cancels nothing. */
export const RELAY_UPSTREAM: EmulatedService = {
  name: 'relay',
  model: 'gpt-image-2',
  keyHeader: { name: 'authorization', prefix: 'Bearer ' },
  isSubmission: (path) => path === EDITS || path === '/v1/images/generations/async',
  async check({ path, headers, body }) {
    const operation = path === EDITS ? 'edit' : 'generate';
    const fields = operation === 'edit' ? await readForm(headers, body) : readJson(headers, body);
    const rules = { models: OPENAI_MODELS, defaultModel: 'gpt-image-2' };
    const call = await checkOpenAiRequest(operation, fields, rules);
    return {
      model: call.model ?? '',
      prompt: call.prompt,
      count: call.n,
      width: call.width,
      height: call.height,
      format: call.format,
      inputs: call.images.length,
      fields: call.fields,
    };
  },
  paths: (id) => ({ poll: `/v1/images/tasks/${id}` }),
  accepted: (task) => ({
    status: 202,
    json: { task_id: task.id, status: 'queued', poll_url: relative(task) },
  }),
  polled: ({ id, phase, images }) => {
    if (phase === 'lost') {
      return {
        status: 404,
        json: { error: { message: 'no task', code: null, type: 'not_found' } },
      };
    }
    return { status: 200, json: { task_id: id, ...membersOf(phase, images) } };
  },
  errorBody: ({ code, message, param, status }) => openAiError({ code, message, param, status }),
  charge: ({ count }) => ONE_CENT * BigInt(count),
};

/** The relay states the path of the polls. A poll URL of another host is absolute. */
function relative({ origin, urls: { poll } }: EmulatedTask): string {
  return poll.startsWith(origin) ? poll.slice(origin.length) : poll;
}

function membersOf(phase: EmulatedTask['phase'], images: readonly string[]) {
  const error = (code: string | null) => ({
    message: 'failed',
    type: 'api_error',
    param: null,
    code,
  });
  if (phase === 'done') {
    return { status: 'completed', result: { created: 1, data: images.map((url) => ({ url })) } };
  }
  if (phase === 'moderated') {
    return { status: 'failed', http_status: 400, error: error('moderation_blocked') };
  }
  if (phase === 'queued') return { status: 'queued' };
  if (phase === 'running') return { status: 'processing' };
  if (phase === 'unheard_of') return { status: 'warming_up' };
  return { status: 'failed', http_status: 500, error: error(null) };
}
