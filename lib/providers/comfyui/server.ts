import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import { readWhole } from '../../net/response-body.ts';
import type { Ids } from '../../platform/ids.ts';
import { FAILURES, type FailureRow, REQUEST_FAULTS } from '../backend/failures.ts';
import { optionalMember, Text } from '../backend/reply-members.ts';
import { EXTENSIONS } from '../backend/sent-images.ts';
import { type ApiKeySource, callWithKey } from '../credentials/api-key.ts';
import { unusableImages } from '../failed-calls.ts';
import { isWithin, jsonMembers, parseBounded } from '../http/bounded-json.ts';
import { toMultipartBody } from '../http/multipart-body.ts';
import type { ProviderInput } from '../provider-port.ts';
import type { Workflow } from './workflow.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly apiKey: Pick<ApiKeySource, 'key' | 'changed'>;
  readonly baseUrl: string;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newUuid'>;
}

interface Sent {
  readonly contentType: string;
  readonly body: string | StreamedBody;
  readonly onSending?: () => void;
}

/** Ids of the running and pending prompts. */
interface QueueState {
  readonly running: readonly string[];
  readonly pending: readonly string[];
}

// Replies contain whole workflows. Parsing a reply of this length takes some milliseconds.
const MAX_REPLY_BYTES = 2_097_152;
// A reply about one prompt has one entry with a few members.
const MAX_ENTRIES = 64;
const BOUNDS = { maxNames: 4096, maxNested: 65_536 };

// The server empties this folder when it starts. The server never deletes files in its input folder.
const UPLOADS = { type: 'temp', subfolder: 'image-bridge' } as const;

export type ComfyServer = ReturnType<typeof createComfyServer>;

/**
 * Creates a client for the routes of a ComfyUI server (ComfyUI's `server.py`). All methods throw the errors of the HTTP
 * client, and `protocol` if a reply does not have the expected form.
 */
export function createComfyServer({ httpClient, apiKey, baseUrl, ids }: Deps) {
  const clientId = ids.newUuid();

  const send = createSender({ httpClient, apiKey, baseUrl });

  /** Resolves with the JSON of a successful reply. */
  async function read<T>(response: HttpResponse, schema: v.GenericSchema<unknown, T>): Promise<T> {
    checkStatus(response);
    return parse(await readWhole(response.body, MAX_REPLY_BYTES), schema);
  }

  const post = (path: string, value: unknown, signal: AbortSignal, onSending?: () => void) =>
    send(path, signal, {
      contentType: 'application/json',
      body: JSON.stringify(value),
      ...(onSending ? { onSending } : {}),
    });

  return {
    /**
     * Uploads an image under a name derived from its content. Resolves with the value that a workflow node uses to load
     * the image.
     */
    async upload(
      { bytes, mediaType, sha256 }: ProviderInput,
      signal: AbortSignal,
    ): Promise<string> {
      const filename = `${sha256}.${EXTENSIONS[mediaType]}`;
      const { contentType, body } = toMultipartBody(
        [
          { name: 'image', filename, mediaType, bytes },
          { name: 'subfolder', text: UPLOADS.subfolder },
          { name: 'type', text: UPLOADS.type },
          { name: 'overwrite', text: 'true' },
        ],
        ids.newOpaqueId(),
      );
      const response = await send('/upload/image', signal, { contentType, body });
      const { name, subfolder, type } = await read(response, Upload);
      const path = subfolder === '' ? name : `${subfolder}/${name}`;
      // Without the suffix, nodes would search for the file in the input folder (ComfyUI's `folder_paths.py`).
      return type === UPLOADS.type ? `${path} [${type}]` : path;
    },

    /** Submits a workflow to be run under this id. Resolves with the response, regardless of its status. */
    submit: (prompt: Workflow, promptId: string, signal: AbortSignal, onSending: () => void) =>
      post('/prompt', { prompt, client_id: clientId, prompt_id: promptId }, signal, onSending),

    /**
     * Resolves with the result of a prompt, or with undefined if the prompt has not finished or is unknown to the
     * server.
     */
    async history(promptId: string, signal: AbortSignal): Promise<HistoryEntry | undefined> {
      const response = await send(`/history/${encodeURIComponent(promptId)}`, signal);
      checkStatus(response);
      const reply = await readWhole(response.body, MAX_REPLY_BYTES);
      const entries = reply && jsonMembers(reply, MAX_ENTRIES);
      if (!entries) throw unexpected();
      const entry = entries.get(promptId);
      return entry && toHistoryEntry(entry);
    },

    /**
     * Resolves with the queue, or with undefined if the queue is too large to be read, because a queue contains the
     * whole workflow of each prompt.
     */
    async queue(signal: AbortSignal): Promise<QueueState | undefined> {
      const response = await send('/queue', signal);
      checkStatus(response);
      const bytes = await readWhole(response.body, MAX_REPLY_BYTES);
      if (!bytes || !isWithin(bytes, BOUNDS)) return undefined;
      const { queue_running, queue_pending } = parse(bytes, Queue);
      const idsOf = (items: readonly [unknown, string, ...unknown[]][]) =>
        items.map(([, id]) => id);
      return { running: idsOf(queue_running), pending: idsOf(queue_pending) };
    },

    /**
     * Resolves with the bytes of an image, or with undefined if the image is longer than `maxBytes`. Throws `protocol`
     * if the server does not have the image.
     */
    async view(
      { filename, subfolder, type }: StoredImage,
      maxBytes: number,
      signal: AbortSignal,
    ): Promise<Buffer | undefined> {
      const query = new URLSearchParams({ filename, subfolder, type });
      const response = await send(`/view?${query}`, signal);
      if (response.status === 404) {
        response.body.destroy();
        throw unusableImages('the server does not have the image of the workflow', 'image_missing');
      }
      checkStatus(response);
      return readWhole(response.body, maxBytes);
    },

    /** Removes a pending prompt from the queue. */
    async remove(promptId: string, signal: AbortSignal): Promise<void> {
      (await post('/queue', { delete: [promptId] }, signal)).body.destroy();
    },

    /** Stops a running prompt. Older servers stop whichever prompt is running. */
    async interrupt(promptId: string, signal: AbortSignal): Promise<void> {
      (await post('/interrupt', { prompt_id: promptId }, signal)).body.destroy();
    },
  };
}

/** Creates a function that sends requests with the key, as POST if there is a body. */
function createSender({ httpClient, apiKey, baseUrl }: Omit<Deps, 'ids'>) {
  return (path: string, signal: AbortSignal, sent?: Sent): Promise<HttpResponse> =>
    callWithKey(apiKey, async (key) => {
      const { contentType, ...more } = sent ?? {};
      const response = await httpClient.request(`${baseUrl}${path}`, {
        method: sent ? 'POST' : 'GET',
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
        },
        ...more,
        signal,
      });
      if (response.status !== 401) return response;
      response.body.destroy();
      throw new BridgeError(FAILURES.authentication.code, FAILURES.authentication.message);
    });
}

function parse<T>(bytes: Buffer | undefined, schema: v.GenericSchema<unknown, T>): T {
  return validated(bytes && parseBounded(bytes, BOUNDS), schema);
}

function validated<T>(value: unknown, schema: v.GenericSchema<unknown, T>): T {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw unexpected();
}

/** Parses only the members that are used, because an entry repeats the whole workflow. */
function toHistoryEntry(text: Buffer): HistoryEntry {
  const members = jsonMembers(text, MAX_ENTRIES);
  if (!members) throw unexpected();
  const [outputs, status] = ['outputs', 'status'].map((name) => {
    const member = members.get(name);
    const value = member && parseBounded(member, BOUNDS);
    if (member && value === undefined) throw unexpected();
    return value;
  });
  return validated({ outputs, status }, HistoryEntry);
}

function unexpected(): BridgeError {
  return new BridgeError('protocol', 'unexpected response format from the server');
}

function checkStatus({ status, body }: HttpResponse): void {
  if (status === 200) return;
  body.destroy();
  const { code, message, ...options }: FailureRow = rowOf(status);
  throw new BridgeError(code, message, options);
}

/** Selects the row for the failure of a request that can be repeated without another effect. */
function rowOf(status: number): FailureRow {
  if (status === 403) return FAILURES.permission;
  if (status === 429) return FAILURES.rate;
  if (REQUEST_FAULTS.includes(status)) return FAILURES.refused;
  return status >= 500 ? FAILURES.transient : FAILURES.other;
}

const FileName = v.pipe(v.string(), v.minLength(1), v.maxLength(1024));
const Folder = v.fallback(v.pipe(v.string(), v.maxLength(1024)), '');

/** An image on the server. */
export const StoredImage = v.object({
  filename: FileName,
  subfolder: Folder,
  type: v.fallback(v.picklist(['output', 'temp', 'input']), 'output'),
});
export type StoredImage = v.InferOutput<typeof StoredImage>;

const Upload = v.object({ name: FileName, subfolder: Folder, type: Text });

export const Submission = v.object({
  prompt_id: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
});

/** The reason why a workflow was rejected. `node_errors` contains the invalid nodes by id. */
export const SubmissionError = v.object({
  error: v.object({ type: Text }),
  node_errors: optionalMember(v.record(v.string(), v.unknown())),
});

const Output = v.fallback(v.object({ images: v.nullish(v.array(v.unknown())) }), { images: [] });

export const HistoryEntry = v.object({
  outputs: v.fallback(v.record(v.string(), Output), {}),
  status: optionalMember(v.object({ status_str: Text, messages: v.unknown() })),
});
export type HistoryEntry = v.InferOutput<typeof HistoryEntry>;

/** A list that begins with the number of the queue item and the id of its prompt. */
const QueueItem = v.looseTuple([v.unknown(), v.string()]);

const Queue = v.object({
  queue_running: v.array(QueueItem),
  queue_pending: v.array(QueueItem),
});
