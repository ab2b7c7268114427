import type { JobOrder } from '../../../contract/resources/job.ts';
import type { SearchTerms } from '../../../contract/resources/search-terms.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobSearch, JobSearchFilter } from '../../../jobs/job-store-port.ts';
import { createSemaphore } from '../../../platform/semaphore.ts';
import { foldTerms } from '../../jobs/fold-prompt.ts';
import { beginOf, ORDER_SQL } from '../../jobs/page-begin.ts';
import type { Postgres, Queries } from '../connection.ts';
import { type Condition, filterSql, matchingSql, matchingValues } from './job-list.ts';

// The first jobs of the list answer most searches without the index.
const FIRST_JOBS = 2048;

// Searches leave most connections to other work.
const MAX_RUNNING = 2;
// The maximum number of waiting searches. Further searches are rejected, because an error is better for a client than a longer
// wait.
const MAX_WAITING = 64;

/**
 * Resolves with false if the index ignores letters outside ASCII, as with the `LC_CTYPE` C. A search for such letters then reads
 * all prompts.
 */
export async function hasAllTrigrams({ rows }: Queries): Promise<boolean> {
  // The schema of the extension was chosen by the administrator who created it.
  const [found] = await rows<{ query: string }>(`
    SELECT format('SELECT cardinality(%I.show_trgm(''語'')) AS trigrams', nspname) AS query
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm'`);
  if (found === undefined) return true;
  const [counted] = await rows<{ trigrams: number }>(found.query);
  return counted !== undefined && counted.trigrams > 0;
}

interface Request {
  readonly order: JobOrder;
  /** The search begins beyond this sequence. */
  readonly edge: number;
  /** The maximum number of sequences. */
  readonly limit: number;
  readonly scope: string;
  readonly filter: JobSearchFilter;
}

interface Options {
  /** The number of jobs that one query reads without the index. */
  readonly firstJobs?: number;
}

/**
 * Finds jobs by their folded prompts, which are stored with the jobs. First reads the first jobs of the list, and then the hits of
 * the index, because a common text is in many jobs and a rare text is in few.
 */
export function createJobSearch(
  database: Pick<Postgres, 'schema' | 'read'>,
  { firstJobs = FIRST_JOBS }: Options = {},
): JobSearch {
  const { schema, read } = database;
  const slots = createSemaphore(MAX_RUNNING);

  /** Searches the first jobs of the list beyond the edge. `last` is the last of them, or undefined if no further job follows. */
  async function findInFirst({ scope, filter, order, edge, limit }: Request) {
    const page = matchingValues(filter, { scope, edge, limit: firstJobs });
    const terms = termsSql(filter.terms, page.length + 2);
    const { sorted } = ORDER_SQL[order];
    const sql = `
      WITH listed AS MATERIALIZED (${matchingSql(schema, filter, order)})
      SELECT
        (SELECT count(*) FROM listed) AS count,
        (SELECT ${order === 'newest' ? 'min' : 'max'}(seq) FROM listed) AS last,
        ARRAY (
          SELECT seq FROM listed JOIN ${schema}.job_text USING (seq)
          WHERE ${terms.sql} ORDER BY ${sorted} LIMIT $${page.length + 1}
        ) AS found`;
    const [row] = await read(({ rows }) =>
      rows<{ count: number; last: number | null; found: readonly number[] }>(sql, [
        ...page,
        limit,
        ...terms.values,
      ]),
    );
    const { count = 0, last = null, found = [] } = row ?? {};
    return { found, last: last === null || count < firstJobs ? undefined : last };
  }

  /** Searches all jobs beyond the edge in the index. */
  async function findInIndex({ scope, filter, order, edge, limit }: Request) {
    const { beyond, sorted } = ORDER_SQL[order];
    const filters = filterSql(schema, filter, 4);
    const terms = termsSql(filter.terms, 4 + filters.values.length);
    const sql = `
      WITH hit AS MATERIALIZED (
        SELECT seq FROM ${schema}.job_text WHERE scope = $1 AND seq ${beyond} $2 AND ${terms.sql}
      )
      SELECT seq AS sequence FROM hit JOIN ${schema}.job USING (seq)
      WHERE ${filters.sql} ORDER BY ${sorted} LIMIT $3`;
    const values = [scope, edge, limit, ...filters.values, ...terms.values];
    const found = await read(({ rows }) => rows<{ sequence: number }>(sql, values));
    return found.map(({ sequence }) => sequence);
  }

  /** Resolves with at most `limit` sequences. */
  async function search(request: Request, signal: AbortSignal): Promise<readonly number[]> {
    const found: number[] = [];
    let { edge } = request;
    for (;;) {
      signal.throwIfAborted();
      const limit = request.limit - found.length;
      const first = await findInFirst({ ...request, edge, limit });
      found.push(...first.found);
      if (first.last === undefined || found.length === request.limit) return found;
      edge = first.last;
      // Without a text to find, the index finds nothing faster.
      if (request.filter.terms.all.length > 0) break;
    }
    const rest = { ...request, edge, limit: request.limit - found.length };
    return [...found, ...(await findInIndex(rest))];
  }

  return {
    async find(scope, { terms, ...filter }, page, signal) {
      signal.throwIfAborted();
      if (slots.counts().waiting >= MAX_WAITING) {
        throw new BridgeError('overloaded', 'too many searches are waiting');
      }
      const folded = { ...filter, terms: foldTerms(terms) };
      // One sequence more than the page shows. If this job exists, there is a next page.
      const request = { ...beginOf(page), scope, filter: folded, limit: page.limit + 1 };
      const found = await slots.run(() => search(request, signal), signal);
      return { sequences: found.slice(0, page.limit), more: found.length > page.limit };
    },
  };
}

/** Returns the condition that a folded prompt matches folded terms. `first` is the number of the first parameter. */
function termsSql({ all, none }: SearchTerms, first: number): Condition {
  const likes = [...all.map(() => 'LIKE'), ...none.map(() => 'NOT LIKE')];
  return {
    sql: ['true', ...likes.map((like, at) => `folded ${like} $${first + at}`)].join(' AND '),
    values: [...all, ...none].map(toPattern),
  };
}

/** Returns the pattern of `LIKE` for texts that contain this text. */
function toPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
