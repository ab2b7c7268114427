import * as v from 'valibot';
import type { ArtifactRecord, ArtifactStore } from '../../artifacts/artifact-store-port.ts';
import { OUTPUT_FORMATS } from '../../contract/parameters.ts';
import type { StateDatabase } from './database.ts';
import { preparePublish } from './publish-artifacts.ts';

const COLUMNS = 'id, scope, name, format, width, height, bytes, sha256, created_secs';

const INSERT = `
  INSERT INTO artifact (${COLUMNS}, state)
  VALUES (@id, @scope, @name, @format, @width, @height, @bytes, @sha256, @createdSecs, 'pending')
  ON CONFLICT (name) DO NOTHING`;
const RENAME = `
  UPDATE artifact SET name = @name
  WHERE id = @id AND state = 'pending' AND NOT EXISTS (SELECT 1 FROM artifact WHERE name = @name)`;
const DISCARD = "DELETE FROM artifact WHERE id = ? AND state = 'pending'";
const FIND = `SELECT ${COLUMNS} FROM artifact WHERE id = ? AND scope = ? AND state = 'published'`;
const LIST_PENDING = `SELECT ${COLUMNS} FROM artifact WHERE state = 'pending'`;

const TOTALS = 'SELECT artifacts AS count, bytes FROM artifact_total';

const Row = v.pipe(
  v.object({
    id: v.string(),
    scope: v.string(),
    name: v.string(),
    format: v.picklist(OUTPUT_FORMATS),
    width: v.number(),
    height: v.number(),
    bytes: v.number(),
    sha256: v.string(),
    created_secs: v.number(),
  }),
  v.transform(({ created_secs: createdSecs, ...row }): ArtifactRecord => ({ ...row, createdSecs })),
);
const FoundRow = v.optional(Row);
const Rows = v.array(Row);
const TotalRow = v.object({ count: v.number(), bytes: v.number() });

export function createArtifactStore(database: StateDatabase): ArtifactStore {
  const insert = database.prepare(INSERT);
  const rename = database.prepare(RENAME);
  const publish = preparePublish(database);
  const discard = database.prepare(DISCARD);
  const find = database.prepare(FIND);
  const listPending = database.prepare(LIST_PENDING);
  const totals = database.prepare(TOTALS);

  return {
    claim: (draft, names) =>
      database.write(() => names.find((name) => insert.run({ ...draft, name }).changes === 1)),
    rename: (id, names) =>
      database.write(() => names.find((name) => rename.run({ id, name }).changes === 1)),
    publish: (ids) => database.write(() => publish(ids)),
    discard: (ids) =>
      database.write(() => {
        for (const id of ids) discard.run(id);
      }),
    find: (scope, id) => database.read(() => v.parse(FoundRow, find.get(id, scope))),
    listPending: () => database.read(() => v.parse(Rows, listPending.all())),
    totals: () => database.read(() => v.parse(TotalRow, totals.get())),
  };
}
