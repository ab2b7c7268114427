import * as v from 'valibot';
import type { ArtifactRecord, ArtifactStore } from '../../artifacts/artifact-store-port.ts';
import {
  ARTIFACT_COLUMNS,
  ArtifactRow,
  BEFORE_FIRST_ARTIFACT,
  noLongerPending,
  parseById,
} from '../artifact-rows.ts';
import type { StoreDatabase } from './database.ts';
import { isAbandonedSql } from './owner-lease.ts';

const INSERT = `
  INSERT INTO artifact (${ARTIFACT_COLUMNS}, state, owner)
  VALUES (@id, @scope, @name, @format, @width, @height, @bytes, @sha256, @createdSecs,
    @sidecarName, @sidecarBytes, @sidecarSha256, @provenance, 'pending', @owner)
  ON CONFLICT (name) DO NOTHING
  ON CONFLICT (sidecar_name) WHERE sidecar_name IS NOT NULL DO NOTHING`;
const LINK = `
  INSERT INTO job_output (artifact_id, seq, image)
  SELECT @artifactId, seq, @facts FROM job
  WHERE seq = @sequence AND status = 'running' AND owner = @owner`;
const RENAME = `
  UPDATE artifact SET name = @name, sidecar_name = @sidecarName
  WHERE id = @id AND state = 'pending' AND owner = @owner
    AND NOT EXISTS (SELECT 1 FROM artifact WHERE name = @name)
    AND NOT EXISTS (SELECT 1 FROM artifact WHERE sidecar_name = @sidecarName)`;
const PUBLISH = `
  UPDATE artifact SET state = 'published', owner = NULL
  WHERE id = @id AND state = 'pending' AND owner = @owner`;
// Only published artifacts are counted.
const COUNT = `
  UPDATE artifact_total SET
    artifacts = artifacts + @change,
    bytes = bytes + @change * (SELECT bytes FROM artifact WHERE id = @id)`;
const FIND_OWN_INTENTS = `
  SELECT id FROM artifact
  WHERE id IN (SELECT value FROM json_each(@ids)) AND state = 'pending' AND owner = @owner`;
const DISCARD = "DELETE FROM artifact WHERE id = @id AND state = 'pending' AND owner = @owner";
const FIND = `SELECT ${ARTIFACT_COLUMNS} FROM artifact WHERE id = ? AND scope = ? AND state = 'published'`;
const WITHDRAW = `
  UPDATE artifact SET state = 'pending', owner = @owner WHERE id = @id AND state = 'published'
  RETURNING ${ARTIFACT_COLUMNS}`;
const ABANDON = `
  UPDATE artifact SET owner = NULL WHERE id = @id AND state = 'pending' AND owner = @owner`;
const TAKE_ABANDONED = `
  UPDATE artifact SET owner = @owner
  WHERE id IN (
    SELECT id FROM artifact
    WHERE state = 'pending' AND ${isAbandonedSql('artifact')}
      AND NOT EXISTS (SELECT 1 FROM job_output WHERE artifact_id = artifact.id)
      AND id > @after
    ORDER BY id LIMIT @limit)
  RETURNING ${ARTIFACT_COLUMNS}`;
const LIST_BY_AGE = `
  SELECT ${ARTIFACT_COLUMNS} FROM artifact
  WHERE state = 'published' AND created_secs <= +@untilSecs AND (created_secs, id) > (+@afterSecs, +@afterId)
  ORDER BY created_secs, id LIMIT +@limit`;
const FIND_NAMES = `
  WITH asked AS (SELECT value FROM json_each(@names))
  SELECT name FROM artifact WHERE name IN asked
  UNION ALL
  SELECT sidecar_name FROM artifact WHERE sidecar_name IN asked`;
const IS_EMPTY = 'SELECT NOT EXISTS (SELECT 1 FROM artifact)';

const TOTALS = 'SELECT artifacts AS count, bytes FROM artifact_total';

const FoundRow = v.optional(ArtifactRow);
const Rows = v.array(ArtifactRow);
const Texts = v.array(v.string());
const TotalRow = v.object({ count: v.number(), bytes: v.number() });

export function createArtifactStore(database: StoreDatabase): ArtifactStore {
  const { owner } = database;
  const insert = database.prepare(INSERT);
  const link = database.prepare(LINK);
  const rename = database.prepare(RENAME);
  const publish = preparePublish(database);
  const findOwnIntents = database.prepare(FIND_OWN_INTENTS).pluck();
  const discard = database.prepare(DISCARD);
  const find = database.prepare(FIND);
  const withdraw = database.prepare(WITHDRAW);
  const count = prepareCount(database);
  const listByAge = database.prepare(LIST_BY_AGE);
  const abandon = database.prepare(ABANDON);
  const takeAbandoned = database.prepare(TAKE_ABANDONED);
  const findNames = database.prepare(FIND_NAMES).pluck();
  const isEmpty = database.prepare(IS_EMPTY).pluck();
  const totals = database.prepare(TOTALS);

  function ownOf(ids: readonly string[]): readonly string[] {
    return v.parse(Texts, findOwnIntents.all({ ids: JSON.stringify(ids), owner }));
  }

  /** Throws `artifact` if none of these ids is an intent of this process. */
  function requireOwn(ids: readonly string[]): void {
    if (ids.length > 0 && ownOf(ids).length === 0) throw noLongerPending();
  }

  return {
    claim: (candidates, output) =>
      database.write(() => {
        const claimed = candidates.find(
          (candidate) => insert.run({ ...toColumns(candidate), owner }).changes === 1,
        );
        if (claimed && output) {
          const { job: sequence, facts } = output;
          link.run({ artifactId: claimed.id, sequence, facts: JSON.stringify(facts), owner });
        }
        return claimed;
      }),
    rename: (candidates) =>
      database.write(() => {
        const renamed = candidates.find(
          (candidate) => rename.run({ ...namesOf(candidate), owner }).changes === 1,
        );
        if (renamed === undefined) requireOwn(candidates.map(({ id }) => id));
        return renamed;
      }),
    publish: (ids) => database.write(() => publish(ids)),
    findOwnIntents: (ids) => database.read(() => ownOf(ids)),
    discard: (ids) =>
      database.write(() => {
        for (const id of ids) discard.run({ id, owner });
      }),
    find: (scope, id) => database.read(() => v.parse(FoundRow, find.get(id, scope))),
    listByAge: ({ untilSecs, after = BEFORE_FIRST_ARTIFACT, limit }) =>
      database.read(() => {
        const { createdSecs: afterSecs, id: afterId } = after;
        return v.parse(Rows, listByAge.all({ untilSecs, afterSecs, afterId, limit }));
      }),
    withdraw: (ids) =>
      database.write(() => {
        const withdrawn = ids.flatMap((id) => v.parse(Rows, withdraw.all({ id, owner })));
        for (const { id } of withdrawn) count(id, -1);
        return withdrawn;
      }),
    abandon: (ids) =>
      database.write(() => {
        for (const id of ids) abandon.run({ id, owner });
      }),
    takeAbandoned: (page) => database.write(() => parseById(takeAbandoned.all({ owner, ...page }))),
    findNames: (names) =>
      database.read(() => new Set(v.parse(Texts, findNames.all({ names: JSON.stringify(names) })))),
    isEmpty: () => database.read(() => isEmpty.get() === 1),
    totals: () => database.read(() => v.parse(TotalRow, totals.get())),
  };
}

function toColumns({ sidecar, provenance, ...record }: ArtifactRecord) {
  return {
    ...record,
    sidecarName: sidecar?.name ?? null,
    sidecarBytes: sidecar?.bytes ?? null,
    sidecarSha256: sidecar?.sha256 ?? null,
    provenance: provenance === undefined ? null : JSON.stringify(provenance),
  };
}

function namesOf({ id, name, sidecar }: ArtifactRecord) {
  return { id, name, sidecarName: sidecar?.name ?? null };
}

/**
 * Prepares the statements that publish pending artifacts of this process within the caller's transaction. Throws `artifact` if
 * an artifact is not pending.
 */
export function preparePublish(
  database: Pick<StoreDatabase, 'owner' | 'prepare'>,
): (ids: readonly string[]) => void {
  const publish = database.prepare(PUBLISH);
  const count = prepareCount(database);
  const { owner } = database;
  return (ids) => {
    for (const id of ids) {
      if (publish.run({ id, owner }).changes !== 1) {
        throw noLongerPending();
      }
      count(id, 1);
    }
  };
}

/** Prepares the statement that counts a published or withdrawn artifact within the caller's transaction. */
export function prepareCount(
  database: Pick<StoreDatabase, 'prepare'>,
): (id: string, change: 1 | -1) => void {
  const count = database.prepare(COUNT);
  return (id, change) => void count.run({ id, change });
}
