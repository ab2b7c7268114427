/** One way to treat a prompt. What is absent is as usual. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** A description for the printed list. */
  readonly about: string;
  /** The reply to the submission: nothing is queued, or it is queued all the same. */
  readonly submission?: {
    readonly isQueued: boolean;
    /** A status, a page under the status 200, or the end of the connection. */
    readonly reply: number | 'page' | 'cut';
  };
  /** How the run ends; `endless` only by an interruption. */
  readonly run?: 'failed' | 'interrupted' | 'endless' | 'forgotten';
  /** What the output node makes. */
  readonly output?: 'nothing' | 'two' | 'temp' | 'jpeg' | 'empty' | 'huge' | 'truncated';
  /** How many of the first requests of this kind fail once the prompt is queued. */
  readonly failing?: {
    readonly route: 'history' | 'queue' | 'view';
    readonly times: number;
    /** 500 without one. */
    readonly status?: number;
  };
  /** Whether the history lacks the prompt at the first look after its end. */
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
