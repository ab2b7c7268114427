/** A way to process a prompt. Absent members mean the usual behaviour. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** Description for the printed list. */
  readonly about: string;
  /** Reply to the submission. The prompt may be queued or not. */
  readonly submission?: {
    readonly isQueued: boolean;
    /** A status, a page with status 200, or the end of the connection. */
    readonly reply: number | 'page' | 'cut';
  };
  /** End of the run. `endless` ends only by an interruption. */
  readonly run?: 'failed' | 'interrupted' | 'endless' | 'forgotten';
  /** Output of the output node. */
  readonly output?: 'nothing' | 'two' | 'temp' | 'jpeg' | 'empty' | 'huge' | 'truncated';
  /** Number of first requests of this kind that fail after the prompt was queued. */
  readonly failing?: {
    readonly route: 'history' | 'queue' | 'view';
    readonly times: number;
    /** Status of the failed requests. 500 by default. */
    readonly status?: number;
  };
  /** True if the first read of the history after the end lacks the prompt. */
  readonly isLate?: boolean;
}

const FOR_EVER = Number.POSITIVE_INFINITY;

function row<const Name extends string>(
  name: Name,
  about: string,
  how: Omit<Behaviour, 'name' | 'about'>,
): Behaviour<Name> {
  return { name, about, ...how };
}

const refusals = ([403, 429, 500, 502, 503] as const).map((status) =>
  row(`status=${status}`, `a ${status}; nothing is queued`, {
    submission: { isQueued: false, reply: status },
  }),
);

const ROWS = [
  row('succeed', 'the image of the workflow', {}),
  ...refusals,
  row('page', 'a page; nothing is queued', { submission: { isQueued: false, reply: 'page' } }),
  row('lost', 'closes without a reply; nothing is queued', {
    submission: { isQueued: false, reply: 'cut' },
  }),
  row('lost-but-queued', 'closes without a reply, and runs the prompt', {
    submission: { isQueued: true, reply: 'cut' },
  }),
  row('status=502-but-queued', 'a 502, and runs the prompt', {
    submission: { isQueued: true, reply: 502 },
  }),
  row('failed', 'a node fails', { run: 'failed' }),
  row('interrupted', 'somebody interrupts it', { run: 'interrupted' }),
  row('endless', 'runs until it is interrupted', { run: 'endless' }),
  row('forgotten', 'ends, and leaves no history', { run: 'forgotten' }),
  row('late-history', 'is in the history a moment after its end', { isLate: true }),
  row('output=nothing', 'no image at the output', { output: 'nothing' }),
  row('output=two', 'two images at the output', { output: 'two' }),
  row('output=temp', 'a temporary image', { output: 'temp' }),
  row('output=jpeg', 'a JPEG', { output: 'jpeg' }),
  row('output=empty', 'an empty file', { output: 'empty' }),
  row('output=huge', 'a file of 40 MB', { output: 'huge' }),
  row('output=truncated', 'half of the image', { output: 'truncated' }),
  row('history=fails-twice', 'two requests of the history fail', {
    failing: { route: 'history', times: 2 },
  }),
  row('history=fails', 'no request of the history succeeds', {
    failing: { route: 'history', times: FOR_EVER },
  }),
  row('queue=fails-twice', 'two requests of the queue fail', {
    failing: { route: 'queue', times: 2 },
  }),
  row('view=fails-twice', 'two requests of the image fail', {
    failing: { route: 'view', times: 2 },
  }),
  row('view=404', 'the image is missing', {
    failing: { route: 'view', times: FOR_EVER, status: 404 },
  }),
  row('view=fails', 'no request of the image succeeds', {
    failing: { route: 'view', times: FOR_EVER },
  }),
] as const;

export type BehaviourName = (typeof ROWS)[number]['name'];

export const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(ROWS.map((it) => [it.name, it]));
