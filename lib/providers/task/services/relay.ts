import * as v from 'valibot';
import { FAILURES, type FailureRow } from '../../backend/failures.ts';
import { optionalMember, Text } from '../../backend/reply-members.ts';
import { sentImages, toEditPrompt } from '../../backend/sent-images.ts';
import type { FormPart } from '../../http/multipart-body.ts';
import { chosen, toFilePart } from '../../openai-images/call-body.ts';
import { capabilitiesOf, INPUT_LIMITS } from '../../openai-images/capabilities.ts';
import { OPENAI_FAMILIES } from '../../openai-images/dialects/openai.ts';
import { fieldOf, parseReportedError, rowNamed } from '../../openai-images/failures.ts';
import type { CallFacts } from '../../provider-port.ts';
import { TASK_FAILURES } from '../task-failures.ts';
import type { TaskCall, TaskFailure, TaskModel, TaskService, TaskState } from '../task-service.ts';

// Relays accept OpenAI's requests at routes that end with `/async` and reply with a task. Source: the documents of the
// relay sub2api, 2026-11.

const SETTINGS = {
  dialect: 'openai',
  image_model: 'gpt-image-2',
  model_profiles: {},
  native_count: 1,
  stream: 'never',
  max_outputs: 1,
  max_parallel_outputs: 1,
} as const;

function toModel(name: string): TaskModel {
  const {
    provider: _provider,
    model: _model,
    count: _count,
    batching: _batching,
    implementation_version: _version,
    ...capabilities
  } = capabilitiesOf('relay', name, SETTINGS);
  return { capabilities, maskForm: 'alpha', inputLimits: INPUT_LIMITS, inputs };
}

const MODELS: ReadonlyMap<string, TaskModel> = new Map(
  Object.keys(OPENAI_FAMILIES).map((name) => [name, toModel(name)]),
);

/** Returns the fields of OpenAI's image API without the images. Fields that the request leaves to the model are omitted. */
function inputs({ request }: TaskCall): Readonly<Record<string, string | number>> {
  const { parameters, indices, images, references } = request;
  const hasInputs = images.length + references.length > 0;
  const values = {
    model: request.model,
    prompt: toEditPrompt(request),
    n: indices.length > 1 ? indices.length : undefined,
    size: chosen(parameters.size),
    quality: chosen(parameters.quality),
    output_format: parameters.output_format,
    output_compression: parameters.output_compression ?? undefined,
    background: chosen(parameters.background),
    moderation: chosen(parameters.moderation),
    input_fidelity: hasInputs ? (parameters.input_fidelity ?? undefined) : undefined,
    complexity: parameters.complexity,
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function toForm({ request, constants, ...call }: TaskCall): readonly FormPart[] {
  const fields = { ...inputs({ request, constants, ...call }), ...constants };
  return [
    ...Object.entries(fields).map(([name, value]) => ({ name, text: String(value) })),
    ...sentImages(request).map((image, at) => toFilePart('image[]', `image-${at + 1}`, image)),
    ...(request.mask ? [toFilePart('mask', 'mask', request.mask)] : []),
  ];
}

const Accepted = v.object({ task_id: v.string(), poll_url: v.string() });
const Image = v.object({ url: Text, b64_json: Text });
const Polled = v.object({
  status: v.string(),
  result: optionalMember(v.object({ data: v.array(Image) })),
  http_status: optionalMember(v.number()),
  error: v.optional(v.unknown()),
});
type Polled = v.InferOutput<typeof Polled>;

/** Returns the kind of a reported failure, if one of its names states the kind. */
function reportedFailure(value: unknown, request?: CallFacts): TaskFailure | undefined {
  const reported = parseReportedError(value, {});
  if (!reported) return undefined;
  const row = reported.names.map(rowNamed).find((known) => known !== undefined);
  const [code] = reported.names;
  const field =
    row === FAILURES.unknownModel ? 'routing.model' : request && fieldOf(reported.field, request);
  return { ...(row ? { row } : {}), ...(code ? { code } : {}), ...(field ? { field } : {}) };
}

const ROWS: ReadonlyMap<number, FailureRow> = new Map<number, FailureRow>([
  [401, FAILURES.authentication],
  [402, FAILURES.quota],
  [403, FAILURES.permission],
  [429, FAILURES.rate],
]);

/** Returns the state of a task that the model behind the relay rejected with an HTTP status. */
function failedState({ http_status: status, error }: Polled): TaskState {
  const named = reportedFailure({ error });
  const isRejection = status === 400 || status === 413 || status === 422;
  const row = isRejection ? FAILURES.refused : (ROWS.get(status ?? 0) ?? TASK_FAILURES.failed);
  return { phase: 'failed', failure: { row, ...named } };
}

/** A relay that runs OpenAI's image requests as tasks. */
export const RELAY: TaskService = {
  displayName: 'Relay',
  apiHosts: [],
  resultHosts: [],
  limits: { requestsPerMinute: 600 },
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  model: (name) => MODELS.get(name.replace(/-\d{4}-\d{2}-\d{2}$/, '')),
  usualModel: toModel(SETTINGS.image_model),
  submission(call) {
    if (sentImages(call.request).length > 0) {
      return { path: '/v1/images/edits/async', body: { form: toForm(call) } };
    }
    const json = { ...inputs(call), ...call.constants };
    return { path: '/v1/images/generations/async', body: { json: () => json } };
  },
  accepted({ value }) {
    const parsed = v.safeParse(Accepted, value);
    if (!parsed.success) return undefined;
    const { task_id: id, poll_url: poll } = parsed.output;
    return { ticket: { id, poll }, state: { phase: 'waiting' } };
  },
  polled({ value }) {
    const parsed = v.safeParse(Polled, value);
    if (!parsed.success) return undefined;
    const { status, result } = parsed.output;
    if (status === 'failed') return failedState(parsed.output);
    if (status !== 'completed') return { phase: 'waiting', isRunning: status === 'processing' };
    const images = (result?.data ?? []).flatMap(({ url, b64_json }) => url ?? b64_json ?? []);
    return { phase: 'done', images };
  },
  failure: ({ value }, { request }) => reportedFailure(value, request),
};
