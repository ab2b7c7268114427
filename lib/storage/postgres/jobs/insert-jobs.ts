import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import { inputsOf } from '../../../contract/resources/job.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import { HELD_COLUMNS, heldColumns, periodsOf } from '../../budgets.ts';
import { foldPrompt } from '../../jobs/fold-prompt.ts';
import type { Postgres, Queries } from '../connection.ts';
import { rowArrays } from '../row-arrays.ts';
import { type CommitNotice, notifySql, toPayloads } from './commit-notices.ts';
import type { AcceptedJob, Decisions, LockedCounts, Submission } from './decide-submissions.ts';
import type { ImageBytes } from './job-images.ts';

const JOBS = rowArrays({
  seq: 'bigint',
  id: 'text',
  scope: 'text',
  token: 'text',
  priority: 'integer',
  created: 'bigint',
  operation: 'text',
  provider: 'text',
  model: 'text',
  outputs: 'integer',
  size: 'text',
  inputs: 'integer',
  bytes: 'bigint',
  reserved: 'bigint',
  prompt: 'text',
  folded: 'text',
  change: 'bigint',
  request_id: 'text',
  retry_of: 'text',
  key_hash: 'text',
  fingerprint: 'text',
  day: 'bigint',
  allowance: 'bigint',
  held: 'bigint',
  budget_per_day: 'bigint',
  budget_per_month: 'bigint',
  request: 'text',
  labels: 'text',
  group_id: 'text',
  group_row: 'integer',
  group_column: 'integer',
  url: 'text',
  host: 'text',
  events: 'text',
});
const INPUTS = rowArrays({ seq: 'bigint', sha256: 'text', bytes: 'bigint' }, JOBS.next);
const LABELS = rowArrays({ seq: 'bigint', scope: 'text', label: 'text' }, INPUTS.next);
const PARENTS = rowArrays(
  {
    seq: 'bigint',
    scope: 'text',
    position: 'integer',
    artifact_id: 'text',
    name: 'text',
    width: 'integer',
    height: 'integer',
    created: 'bigint',
    parent_id: 'text',
    parent_image: 'integer',
  },
  LABELS.next,
);
const SCOPES = rowArrays(
  {
    scope: 'text',
    queued: 'bigint',
    held: 'bigint',
    turn: 'bigint',
    joined: 'bigint',
    changes: 'bigint',
    images: 'bigint',
  },
  PARENTS.next,
);
const CHARGES = rowArrays({ token: 'text', day: 'bigint', images: 'bigint' }, SCOPES.next);
const SPENDING = rowArrays({ token: 'text', period: 'text', amount: 'bigint' }, CHARGES.next);
const ACTIVE = rowArrays({ provider: 'text', queued: 'bigint' }, SPENDING.next);
const TOTALS = ACTIVE.next;

/** Creates the statements that accept a group of jobs within the caller's transaction. */
export function createJobInserts({ schema }: Pick<Postgres, 'schema'>) {
  // Each part waits for the part before it, so that all transactions lock the rows in the same order.
  const LOCK = `
    WITH charges AS (
      INSERT INTO ${schema}.charge (token, day, images)
      SELECT token, day, 0 FROM unnest($2::text[], $3::bigint[]) AS one (token, day)
      ON CONFLICT (token, day) DO UPDATE SET images = charge.images
      RETURNING token, day, images
    ), spending AS (
      INSERT INTO ${schema}.spending (token, period, amount)
      SELECT token, period, 0 FROM unnest($5::text[], $6::text[]) AS one (token, period)
      WHERE (SELECT count(*) FROM charges) > 0
      ON CONFLICT (token, period) DO UPDATE SET amount = spending.amount
      RETURNING token, period, amount
    ), scopes AS (
      INSERT INTO ${schema}.job_scope (scope) SELECT scope FROM unnest($1::text[]) AS scope
      WHERE (SELECT count(*) FROM spending) >= 0
      ON CONFLICT (scope) DO UPDATE SET changes = job_scope.changes
      RETURNING scope, queued, held, turn, changes
    ), active AS (
      INSERT INTO ${schema}.job_active (provider) SELECT provider FROM unnest($4::text[]) AS provider
      WHERE (SELECT count(*) FROM scopes) > 0
      ON CONFLICT (provider) DO UPDATE SET queued = job_active.queued
      RETURNING 1
    ), total AS (
      SELECT queued, bytes + reserved AS held, last_seq AS "lastSequence" FROM ${schema}.job_total
      WHERE (SELECT count(*) FROM active) > 0
      FOR UPDATE
    )
    SELECT
      (SELECT json_agg(scopes) FROM scopes) AS scopes,
      (SELECT json_agg(charges) FROM charges) AS charges,
      coalesce((SELECT json_agg(spending) FROM spending), '[]') AS spending,
      (SELECT to_json(total) FROM total) AS total`;
  const INSERT = `
    WITH new AS MATERIALIZED (SELECT * FROM ${JOBS.sql} AS new),
    jobs AS (
      INSERT INTO ${schema}.job (
        seq, id, scope, token, status, priority, created, updated, operation, provider, model,
        outputs, size, inputs, bytes, reserved, prompt, labels,
        group_id, group_row, group_column
      )
      SELECT
        seq, id, scope, token, 'queued', priority, created, created, operation, provider, model,
        outputs, size, inputs, bytes, reserved, prompt, labels,
        group_id, group_row, group_column
      FROM new
    ), contents AS (
      INSERT INTO ${schema}.job_content (
        seq, request_id, retry_of, key_hash, fingerprint, day, allowance, ${HELD_COLUMNS}, request
      )
      SELECT
        seq, request_id, retry_of, key_hash, fingerprint, day, allowance, ${HELD_COLUMNS}, request
      FROM new
    ), texts AS (
      INSERT INTO ${schema}.job_text (seq, scope, folded) SELECT seq, scope, folded FROM new
    ), webhooks AS (
      INSERT INTO ${schema}.webhook (seq, url, host, events)
      SELECT seq, url, host, events FROM new WHERE url IS NOT NULL
    ), inputs AS (
      INSERT INTO ${schema}.job_input (seq, sha256, bytes)
      SELECT seq, sha256, bytes FROM ${INPUTS.sql} AS input
      ON CONFLICT DO NOTHING
    ), labels AS (
      INSERT INTO ${schema}.job_label (scope, label, seq)
      SELECT scope, label, seq FROM ${LABELS.sql} AS one
    ), parents AS (
      INSERT INTO ${schema}.job_parent (
        seq, scope, position, artifact_id, name, width, height, created, parent_id, parent_image
      )
      SELECT * FROM ${PARENTS.sql} AS one
    ), changes AS (
      INSERT INTO ${schema}.job_change (seq, scope, change)
      SELECT seq, scope, change FROM new
      UNION ALL
      SELECT job.seq, job.scope, max(new.change) + 1
      FROM new JOIN ${schema}.job ON job.id = new.retry_of AND job.scope = new.scope
      GROUP BY job.seq
      ON CONFLICT (seq) DO UPDATE SET change = excluded.change
    ), scopes AS (
      UPDATE ${schema}.job_scope AS own SET
        queued = one.queued, held = one.held, turn = one.turn, changes = one.changes,
        joined = coalesce(one.joined, own.joined),
        ordinary_bytes = own.ordinary_bytes - one.images
      FROM ${SCOPES.sql} AS one WHERE own.scope = one.scope
    ), charges AS (
      UPDATE ${schema}.charge AS own SET images = one.images
      FROM ${CHARGES.sql} AS one WHERE own.token = one.token AND own.day = one.day
    ), spending AS (
      UPDATE ${schema}.spending AS own SET amount = one.amount
      FROM ${SPENDING.sql} AS one WHERE own.token = one.token AND own.period = one.period
    ), active AS (
      UPDATE ${schema}.job_active AS own SET queued = own.queued + one.queued
      FROM ${ACTIVE.sql} AS one WHERE own.provider = one.provider
    ), total AS (
      UPDATE ${schema}.job_total SET
        queued = queued + $${TOTALS}, bytes = bytes + $${TOTALS + 1},
        reserved = reserved + $${TOTALS + 2}, ordinary_bytes = ordinary_bytes - $${TOTALS + 3},
        last_seq = $${TOTALS + 4}
    )
    ${notifySql(`$${TOTALS + 5}`, `$${TOTALS + 6}`)}`;

  return {
    /**
     * Locks the counts that limit a group, and creates missing rows. The scopes that hold the group's images are locked too,
     * because a new job takes over the images that it uses.
     */
    async lock(
      { rows }: Queries,
      group: readonly Submission[],
      holders: readonly ImageBytes[],
    ): Promise<LockedCounts> {
      const days = new Map(
        group.map(({ admission: { reservation } }) => [
          JSON.stringify([reservation.token, reservation.day]),
          reservation,
        ]),
      );
      const charges = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, charge]) => charge);
      const spending = charges
        .filter(({ budget }) => budget !== undefined)
        .flatMap((charge) => periodsOf(charge).map((period) => ({ ...charge, period })));
      const [locked] = await rows<LockedCounts>(LOCK, [
        sorted([...group.map(({ job }) => job.scope), ...holders.map(({ scope }) => scope)]),
        charges.map(({ token }) => token),
        charges.map(({ day }) => day),
        sorted(group.map(({ job }) => job.provider)),
        spending.map(({ token }) => token),
        spending.map(({ period }) => period),
      ]);
      if (!locked) throw new BridgeError('internal', 'the counts of jobs cannot be locked');
      return locked;
    },

    /** Stores the accepted jobs and the new counts. `images` are the bytes that the new jobs take over from other jobs. */
    async insert(
      { rows }: Queries,
      { accepted, scopes, charges, spending }: Decisions,
      images: readonly ImageBytes[],
    ): Promise<void> {
      const held = new Map(images.map(({ scope, bytes }) => [scope, bytes]));
      const sum = (of: (job: AcceptedJob) => number) =>
        accepted.reduce((total, job) => total + of(job), 0);
      const providers = new Map<string, number>();
      for (const { job } of accepted) {
        providers.set(job.provider, 1 + (providers.get(job.provider) ?? 0));
      }
      const changed = new Set(accepted.map(({ job }) => job.scope));
      const notices: readonly CommitNotice[] = [
        { type: 'queued', count: accepted.length, ownCount: providers.get(OWN_PROVIDER) ?? 0 },
        ...[...changed].map((scope) => ({ type: 'changed', scope }) as const),
      ];
      await rows(INSERT, [
        ...JOBS.values(accepted.map(toColumns)),
        ...INPUTS.values(accepted.flatMap(toInputColumns)),
        ...LABELS.values(accepted.flatMap(toLabelColumns)),
        ...PARENTS.values(accepted.flatMap(toParentColumns)),
        ...SCOPES.values(scopes.map((one) => ({ ...one, images: held.get(one.scope) ?? 0 }))),
        ...CHARGES.values(charges),
        ...SPENDING.values(spending),
        ...ACTIVE.values([...providers].map(([provider, queued]) => ({ provider, queued }))),
        accepted.length,
        sum(({ bytes }) => bytes),
        sum(({ job }) => job.reservedBytes),
        images.reduce((total, { bytes }) => total + bytes, 0),
        accepted.at(-1)?.sequence,
        schema,
        toPayloads(notices),
      ]);
    },
  };
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

function toColumns({ job, admission, text, bytes, sequence, change }: AcceptedJob) {
  const { request, webhook } = job;
  const { key, reservation } = admission;
  const { held, budgetPerDay, budgetPerMonth } = heldColumns(reservation);
  return {
    seq: sequence,
    id: job.id,
    scope: job.scope,
    token: reservation.token,
    priority: job.priority,
    created: job.createdSecs,
    operation: request.operation,
    provider: job.provider,
    model: job.model,
    outputs: request.parameters.n,
    size: job.size,
    inputs: inputsOf(request).length,
    bytes,
    reserved: job.reservedBytes,
    prompt: request.prompt,
    folded: foldPrompt(request.prompt),
    change,
    request_id: job.requestId,
    retry_of: job.retryOf,
    key_hash: key?.hash,
    fingerprint: key?.fingerprint,
    day: reservation.day,
    allowance: reservation.allowance,
    held,
    budget_per_day: budgetPerDay,
    budget_per_month: budgetPerMonth,
    request: text,
    labels: JSON.stringify(job.labels),
    group_id: job.group?.id,
    group_row: job.group?.row,
    group_column: job.group?.column,
    ...(webhook && {
      url: webhook.url,
      host: new URL(webhook.url).host,
      events: JSON.stringify(webhook.events),
    }),
  };
}

function toInputColumns({ job, sequence }: AcceptedJob) {
  return inputsOf(job.request).map(({ sha256, bytes }) => ({ seq: sequence, sha256, bytes }));
}

function toLabelColumns({ job: { labels, scope }, sequence }: AcceptedJob) {
  return labels.map((label) => ({ seq: sequence, scope, label }));
}

function toParentColumns({ job: { parents, scope }, sequence }: AcceptedJob) {
  return parents.map(({ input, artifactId, createdSecs, jobId, image, ...facts }) => ({
    ...facts,
    seq: sequence,
    scope,
    position: input,
    artifact_id: artifactId,
    created: createdSecs,
    parent_id: jobId,
    parent_image: image,
  }));
}
