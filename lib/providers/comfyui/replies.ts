import * as v from 'valibot';

/** Optional members. A malformed one is ignored, and the rest of the reply still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);

const FileName = v.pipe(v.string(), v.minLength(1), v.maxLength(1024));
const Folder = v.fallback(v.pipe(v.string(), v.maxLength(1024)), '');

/** An image that lies on the server. */
export const StoredImage = v.object({
  filename: FileName,
  subfolder: Folder,
  type: v.fallback(v.picklist(['output', 'temp', 'input']), 'output'),
});
export type StoredImage = v.InferOutput<typeof StoredImage>;

export const Upload = v.object({ name: FileName, subfolder: Folder, type: Text });

export const Submission = v.object({
  prompt_id: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
});

/** Why a workflow was refused; `node_errors` has the nodes at fault by their ids. */
export const SubmissionError = v.object({
  error: v.object({ type: Text }),
  node_errors: v.fallback(v.optional(v.record(v.string(), v.unknown())), undefined),
});

const Output = v.fallback(v.object({ images: v.nullish(v.array(v.unknown())) }), { images: [] });

export const HistoryEntry = v.object({
  outputs: v.fallback(v.record(v.string(), Output), {}),
  status: v.fallback(v.nullish(v.object({ status_str: Text, messages: v.unknown() })), undefined),
});
export type HistoryEntry = v.InferOutput<typeof HistoryEntry>;

/** An item is a list: its number, then the id of its prompt. */
const QueueItem = v.looseTuple([v.unknown(), v.string()]);

export const Queue = v.object({
  queue_running: v.array(QueueItem),
  queue_pending: v.array(QueueItem),
});
