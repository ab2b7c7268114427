import * as v from 'valibot';
import type { ArtifactRecord, ArtifactStore } from '../../artifacts/artifact-store-port.ts';
import {
  ARTIFACT_COLUMNS,
  ArtifactRow,
  BEFORE_FIRST_ARTIFACT,
  noLongerPending,
  parseById,
} from '../artifact-rows.ts';
import type { Postgres, Queries } from './connection.ts';
import { isDuplicate } from './driver-errors.ts';
import { isAbandonedSql, type ReplicaLease } from './replica-lease.ts';

const Rows = v.array(ArtifactRow);
const Choices = v.array(v.object({ nth: v.number() }));
const Ids = v.array(v.object({ id: v.string() }));
const Sizes = v.array(v.object({ bytes: v.number() }));
const Totals = v.tuple([v.object({ count: v.number(), bytes: v.number() })]);

export function createArtifactStore(
  postgres: Postgres,
  lease: Pick<ReplicaLease, 'judge'>,
): ArtifactStore {
  const { schema, owner, read, write, writeOrUndo } = postgres;
  const names = createNameClaims(postgres);
  const publish = createPublish(postgres);
  const count = createCount(schema);
  const OWN_INTENTS = `
    SELECT id FROM ${schema}.artifact WHERE id = ANY($1) AND state = 'pending' AND owner = $2`;
  const DISCARD = `
    DELETE FROM ${schema}.artifact WHERE id = ANY($1) AND state = 'pending' AND owner = $2`;
  const FIND = `
    SELECT ${ARTIFACT_COLUMNS} FROM ${schema}.artifact
    WHERE id = $1 AND scope = $2 AND state = 'published'`;
  // Artifacts that another replica withdraws at the same time are skipped.
  const WITHDRAW = `
    UPDATE ${schema}.artifact SET state = 'pending', owner = $2
    WHERE id IN (
      SELECT id FROM ${schema}.artifact WHERE id = ANY($1) AND state = 'published'
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING ${ARTIFACT_COLUMNS}`;
  const ABANDON = `
    UPDATE ${schema}.artifact SET owner = NULL
    WHERE id = ANY($1) AND state = 'pending' AND owner = $2`;
  const TAKE_ABANDONED = `
    UPDATE ${schema}.artifact SET owner = $1
    WHERE id IN (
      SELECT id FROM ${schema}.artifact
      WHERE state = 'pending' AND ${isAbandonedSql(schema, 'artifact.owner')}
        AND NOT EXISTS (SELECT FROM ${schema}.job_output WHERE artifact_id = artifact.id)
        AND id > $2
      ORDER BY id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING ${ARTIFACT_COLUMNS}`;
  const LIST_BY_AGE = `
    SELECT ${ARTIFACT_COLUMNS} FROM ${schema}.artifact
    WHERE state = 'published' AND created_secs <= $1 AND (created_secs, id) > ($2, $3)
    ORDER BY created_secs, id LIMIT $4`;
  const FIND_NAMES = `
    SELECT name FROM ${schema}.artifact WHERE name = ANY($1)
    UNION ALL
    SELECT sidecar_name FROM ${schema}.artifact WHERE sidecar_name = ANY($1)`;
  const IS_EMPTY = `SELECT FROM ${schema}.artifact LIMIT 1`;
  const TOTALS = `SELECT artifacts AS count, bytes FROM ${schema}.artifact_total`;

  const abandon = (ids: readonly string[]) =>
    write(async ({ rows }) => void (await rows(ABANDON, [ids, owner])));
  // The caller of a rejected method does not know these intents. `takeAbandoned` must find them again.
  const abandonAll = (records: readonly ArtifactRecord[]) => abandon(records.map(({ id }) => id));

  return {
    ...names,
    publish: (ids) => write((queries) => publish(queries, ids, { isOwn: true })),
    findOwnIntents: (ids) =>
      read(async ({ rows }) => {
        return v.parse(Ids, await rows(OWN_INTENTS, [ids, owner])).map(({ id }) => id);
      }),
    discard: (ids) => write(async ({ rows }) => void (await rows(DISCARD, [ids, owner]))),
    find: (scope, id) => read(async ({ rows }) => v.parse(Rows, await rows(FIND, [id, scope]))[0]),
    listByAge: ({ untilSecs, after = BEFORE_FIRST_ARTIFACT, limit }) =>
      read(async ({ rows }) => {
        const { createdSecs, id } = after;
        return v.parse(Rows, await rows(LIST_BY_AGE, [untilSecs, createdSecs, id, limit]));
      }),
    withdraw: (ids) =>
      writeOrUndo(async (queries) => {
        const withdrawn = v.parse(Rows, await queries.rows(WITHDRAW, [ids, owner]));
        await count(queries, withdrawn, -1);
        return withdrawn;
      }, abandonAll),
    abandon,
    takeAbandoned: ({ after, limit }) =>
      writeOrUndo(async (queries) => {
        if (!(await lease.judge(queries))) return [];
        return parseById(await queries.rows(TAKE_ABANDONED, [owner, after, limit]));
      }, abandonAll),
    findNames: (names) =>
      read(async ({ rows }) => {
        const found = await rows<{ name: string }>(FIND_NAMES, [names]);
        return new Set(found.map(({ name }) => name));
      }),
    isEmpty: () => read(async ({ rows }) => (await rows(IS_EMPTY)).length === 0),
    totals: () => read(async ({ rows }) => v.parse(Totals, await rows(TOTALS))[0]),
  };
}

/** Creates the methods that give intents their names. */
function createNameClaims({
  schema,
  owner,
  write,
  writeOrUndo,
}: Postgres): Pick<ArtifactStore, 'claim' | 'rename'> {
  const CHOOSE = `
    SELECT nth::integer - 1 AS nth
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS candidate (name, sidecar_name, nth)
    WHERE NOT EXISTS (SELECT FROM ${schema}.artifact WHERE artifact.name = candidate.name)
      AND NOT EXISTS (
        SELECT FROM ${schema}.artifact WHERE artifact.sidecar_name = candidate.sidecar_name)
    ORDER BY candidate.nth LIMIT 1`;
  const INSERT = `
    INSERT INTO ${schema}.artifact (${ARTIFACT_COLUMNS}, state, owner)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', $14)
    ON CONFLICT DO NOTHING RETURNING id`;
  // A repeated claim finds the link that the first claim has committed.
  const LINK = `
    INSERT INTO ${schema}.job_output (artifact_id, seq, image)
    SELECT $1, seq, $2 FROM ${schema}.job
    WHERE seq = $3 AND status = 'running' AND owner = $4
    ON CONFLICT DO NOTHING`;
  const LOCK = `
    SELECT name FROM ${schema}.artifact
    WHERE id = $1 AND state = 'pending' AND owner = $2 FOR NO KEY UPDATE`;
  const DISCARD = `
    DELETE FROM ${schema}.artifact WHERE id = $1 AND state = 'pending' AND owner = $2`;
  const RENAME = `UPDATE ${schema}.artifact SET name = $2, sidecar_name = $3 WHERE id = $1`;

  /** Resolves with the first candidate whose names are free when the statement runs, or undefined if no candidate is free. */
  async function choose({ rows }: Queries, candidates: readonly ArtifactRecord[]) {
    const names = candidates.map(({ name }) => name);
    const sidecarNames = candidates.map(({ sidecar }) => sidecar?.name);
    const [chosen] = v.parse(Choices, await rows(CHOOSE, [names, sidecarNames]));
    return chosen && candidates[chosen.nth];
  }

  /** Resolves with the candidate under whose name this process has already recorded the intent, or undefined if there is none. */
  async function findOwn({ rows }: Queries, candidates: readonly ArtifactRecord[]) {
    const [own] = await rows<{ name: string }>(LOCK, [candidates[0]?.id, owner]);
    return candidates.find(({ name }) => name === own?.name);
  }

  async function insertFirstFree(queries: Queries, candidates: readonly ArtifactRecord[]) {
    // Each turn finds a name that another transaction has taken since the turn before, or the intent itself.
    for (let turn = 0; turn <= candidates.length; turn += 1) {
      const chosen = await choose(queries, candidates);
      if (!chosen) break;
      const inserted = await queries.rows(INSERT, [...toColumns(chosen), owner]);
      if (inserted.length > 0) return chosen;
    }
    return findOwn(queries, candidates);
  }

  async function moveToFirstFree(queries: Queries, candidates: readonly ArtifactRecord[]) {
    const [first] = candidates;
    if (first && (await queries.rows(LOCK, [first.id, owner])).length === 0)
      throw noLongerPending();
    const chosen = await choose(queries, candidates);
    if (chosen) await queries.rows(RENAME, [chosen.id, chosen.name, chosen.sidecar?.name]);
    return chosen;
  }

  return {
    // The caller of a rejected claim writes no file, so nobody else would delete the intent.
    claim: (candidates, output) =>
      writeOrUndo(
        async (queries) => {
          const claimed = await insertFirstFree(queries, candidates);
          if (claimed && output) {
            const { job: sequence, facts } = output;
            await queries.rows(LINK, [claimed.id, JSON.stringify(facts), sequence, owner]);
          }
          return claimed;
        },
        async (claimed) => claimed && write(({ rows }) => rows(DISCARD, [claimed.id, owner])),
      ),

    async rename(candidates) {
      for (let turn = 0; ; turn += 1) {
        try {
          return await write((queries) => moveToFirstFree(queries, candidates));
        } catch (error) {
          // Another transaction has taken the name.
          if (!isDuplicate(error) || turn === candidates.length) throw error;
        }
      }
    },
  };
}

/**
 * Creates the function that publishes pending artifacts within the caller's transaction. Throws `artifact` if an artifact is not
 * pending, or if `isOwn` is true and the artifact belongs to another replica.
 */
export function createPublish({ schema, owner }: Pick<Postgres, 'schema' | 'owner'>) {
  const count = createCount(schema);
  const PUBLISH = `
    UPDATE ${schema}.artifact SET state = 'published', owner = NULL
    WHERE id = ANY($1) AND state = 'pending' AND (owner = $2 OR NOT $3) RETURNING bytes`;
  return async (
    queries: Queries,
    ids: readonly string[],
    { isOwn }: { readonly isOwn: boolean },
  ): Promise<void> => {
    if (ids.length === 0) return;
    const published = v.parse(Sizes, await queries.rows(PUBLISH, [ids, owner, isOwn]));
    if (published.length !== ids.length) throw noLongerPending();
    await count(queries, published, 1);
  };
}

/** Creates the function that counts published or withdrawn artifacts within the caller's transaction. */
function createCount(schema: string) {
  const COUNT = `
    UPDATE ${schema}.artifact_total SET artifacts = artifacts + $1, bytes = bytes + $2`;
  return async (
    { rows }: Queries,
    counted: readonly { readonly bytes: number }[],
    change: 1 | -1,
  ): Promise<void> => {
    if (counted.length === 0) return;
    const bytes = counted.reduce((sum, one) => sum + one.bytes, 0);
    await rows(COUNT, [change * counted.length, change * bytes]);
  };
}

function toColumns(record: ArtifactRecord): readonly unknown[] {
  const { id, scope, name, format, width, height, bytes, sha256, createdSecs, sidecar } = record;
  const { provenance } = record;
  return [
    id,
    scope,
    name,
    format,
    width,
    height,
    bytes,
    sha256,
    createdSecs,
    sidecar?.name,
    sidecar?.bytes,
    sidecar?.sha256,
    provenance && JSON.stringify(provenance),
  ];
}
