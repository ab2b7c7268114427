import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, joined, unwrap } from '../../api/api.ts';
import type { JobArtifact, JobSummary } from '../../api/schemas.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';
import { isOpen } from '../../jobs/job-state.ts';
import type { Page } from '../../page.ts';
import { attempt } from '../../shell/toasts.ts';
import { placeKey, type Racer, type Unsent } from '../race-state.ts';
import { type Differences, promptDifferences } from './prompt-differences.ts';
import { createRaceCosts } from './race-costs.ts';

/** The limits of a table, because another client may have created the group. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 12;
const MAX_PAGES = 50;

/** One place of the table: its latest job, or its request that was not accepted. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly job?: JobSummary | undefined;
  /** The jobs of the place that were sent before its latest job. They may have cost money, too. */
  readonly earlier: readonly JobSummary[];
  readonly unsent?: Unsent | undefined;
}

export interface RaceTable {
  readonly columns: readonly (Racer | undefined)[];
  readonly rows: readonly { readonly prompt: string; readonly cells: readonly Cell[] }[];
  readonly differences: Differences;
}

export type RaceBoard = ReturnType<typeof createRaceBoard>;

/** Creates the state of one race: the jobs of its group, kept up to date until `close` is called. */
export function createRaceBoard(page: Page, id: string) {
  const { api, jobs, race, toasts } = page;
  const list = signal<ReadonlyMap<string, JobSummary>>(new Map());
  const isLoaded = signal(false);
  const isMore = signal(false);
  const error = signal<ApiError | undefined>(undefined);
  const controller = new AbortController();
  const costs = createRaceCosts(jobs, controller.signal);
  const table = computed(() => toTable([...list.value.values()], race.unsent.value.get(id)));

  const unsubscribe = jobs.subscribe((change) => {
    const known = list.peek();
    if (change.kind === 'changed') {
      if (change.job.group?.id !== id) return;
      list.value = new Map(known).set(change.job.id, change.job);
      if (isLoaded.peek()) costs.request([change.job]);
    } else if (known.has(change.id)) {
      list.value = new Map([...known].filter(([each]) => each !== change.id));
    }
  });

  const load = joined(async () => {
    try {
      let cursor: string | undefined;
      for (let read = 0; read < MAX_PAGES; read += 1) {
        const query = { group: id, visibility: 'all' as const, limit: 100 };
        const params = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
        const { signal: abort } = controller;
        const found = await unwrap(api.GET('/v1/jobs', { params, signal: abort }));
        batch(() => {
          for (const job of found.items) jobs.put(job);
        });
        cursor = found.next_cursor;
        if (cursor === undefined) break;
      }
      batch(() => {
        isLoaded.value = true;
        isMore.value = cursor !== undefined;
        error.value = undefined;
      });
      costs.request([...list.peek().values()]);
    } catch (thrown) {
      if (!controller.signal.aborted) error.value = ApiError.of(thrown);
    }
  });

  return {
    id,
    table,
    isLoaded: isLoaded as ReadonlySignal<boolean>,
    /** True if the group has more jobs than the page reads. */
    isMore: isMore as ReadonlySignal<boolean>,
    error: error as ReadonlySignal<ApiError | undefined>,
    /** The costs of the ended jobs, by the ids of the jobs. */
    costs: costs.known,
    load,
    close(): void {
      controller.abort();
      unsubscribe();
    },

    /** Makes the image of a cell the only favourite of its row, or removes its mark. */
    async choose(cell: Cell): Promise<void> {
      const { job } = cell;
      const image = job && imageOf(job);
      if (job === undefined || image === undefined) return;
      const row = table.peek().rows[cell.row]?.cells ?? [];
      await attempt(toasts, async () => {
        await jobs.markImage(job.id, image.id, { favorite: image.favorite !== true });
        if (image.favorite === true) return;
        for (const { job: other } of row) {
          if (other === undefined || other.id === job.id) continue;
          for (const { id: artifact, favorite } of other.artifacts) {
            if (favorite) await jobs.markImage(other.id, artifact, { favorite: false });
          }
        }
      });
    },
  };
}

/** The model of a column, and a job of a row. */
export interface Origin {
  readonly racer: Racer;
  /** The id of the job. */
  readonly job: string;
}

/** Returns the facts from which the request of a place can be sent. Undefined if its row or its column has no job. */
export function originOf({ rows, columns }: RaceTable, row: number, column: number) {
  const racer = columns[column];
  const [job] = rows[row]?.cells.flatMap((cell) => cell.job?.id ?? []) ?? [];
  return racer && job !== undefined ? { racer, job } : undefined;
}

/** Returns the image that a cell shows: the favourite of the job, or its first image. */
export function imageOf(job: Pick<JobSummary, 'artifacts'>): JobArtifact | undefined {
  const shown = shownArtifacts(job);
  return shown.find(({ favorite }) => favorite) ?? shown[0];
}

/** Returns true if the image of the cell is the winner of its row. */
export function isWinner({ job }: Cell): boolean {
  return job !== undefined && imageOf(job)?.favorite === true;
}

/** The numbers of cells in each state. */
export interface Tally {
  readonly all: number;
  readonly done: number;
  readonly failed: number;
  /** The number of cancelled jobs, and of requests that were stopped before they were sent. */
  readonly stopped: number;
  readonly running: number;
  readonly waiting: number;
  readonly wins: number;
  /** The mean duration of the finished jobs in seconds. */
  readonly meanSecs: number | undefined;
}

export function tally(cells: readonly Cell[]): Tally {
  const jobs = cells.flatMap(({ job }) => job ?? []);
  const done = jobs.filter(({ artifacts }) => artifacts.length > 0);
  const secs = done.flatMap(({ started, completed }) =>
    started === undefined || completed === undefined ? [] : [completed - started],
  );
  const without = jobs.filter((job) => !isOpen(job) && job.artifacts.length === 0);
  const cancelled = without.filter(({ status }) => status === 'cancelled').length;
  const refused = cells.filter(({ unsent }) => typeof unsent?.state === 'object').length;
  return {
    all: cells.filter(({ job, unsent }) => job ?? unsent).length,
    done: done.length,
    failed: without.length - cancelled + refused,
    stopped: cancelled + cells.filter(({ unsent }) => unsent?.state === 'stopped').length,
    running: jobs.filter(({ status }) => status === 'running').length,
    waiting:
      jobs.filter(({ status }) => status === 'queued').length +
      cells.filter(({ unsent }) => unsent?.state === 'sending' || unsent?.state === 'sent').length,
    wins: cells.filter(isWinner).length,
    meanSecs:
      secs.length === 0 ? undefined : secs.reduce((sum, each) => sum + each, 0) / secs.length,
  };
}

function toTable(
  jobs: readonly JobSummary[],
  unsent: ReadonlyMap<string, Unsent> = new Map(),
): RaceTable {
  const sent = new Map<string, readonly JobSummary[]>();
  // The ids are UUIDv7, so that a retry follows the job that it retries.
  for (const job of jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const { group } = job;
    if (group && group.row < MAX_ROWS && group.column < MAX_COLUMNS) {
      const key = placeKey(group);
      sent.set(key, [...(sent.get(key) ?? []), job]);
    }
  }
  const places = [...sent.values()].flatMap(([first]) => first?.group ?? []);
  const all = [...places, ...unsent.values()];
  const rows = Math.max(0, ...all.map(({ row }) => row + 1));
  const columns = Math.max(0, ...all.map(({ column }) => column + 1));
  const cellsOf = (row: number) =>
    Array.from({ length: columns }, (_, column): Cell => {
      const key = placeKey({ row, column });
      const jobs = sent.get(key) ?? [];
      const job = jobs.at(-1);
      const earlier = jobs.slice(0, -1);
      return { row, column, job, earlier, unsent: job === undefined ? unsent.get(key) : undefined };
    });
  const table = Array.from({ length: rows }, (_, row) => {
    const cells = cellsOf(row);
    const [prompt = ''] = cells.flatMap(({ job, unsent: one }) => job?.prompt ?? one?.prompt ?? []);
    return { prompt, cells };
  });
  return {
    rows: table,
    columns: Array.from({ length: columns }, (_, column) => {
      const [racer] = table.flatMap(({ cells }) => {
        const { job, unsent: one } = cells[column] ?? {};
        return job
          ? { provider: job.provider, model: job.model ?? job.provider }
          : (one?.racer ?? []);
      });
      return racer;
    }),
    differences: promptDifferences(table.map(({ prompt }) => prompt)),
  };
}
