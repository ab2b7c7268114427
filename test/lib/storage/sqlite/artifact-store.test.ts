import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../../../lib/artifacts/artifact-store-port.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createArtifactStore } from '../../../../lib/storage/sqlite/artifact-store.ts';
import { IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../lib/storage/sqlite/database.ts';
import { createOwnerLease } from '../../../../lib/storage/sqlite/owner-lease.ts';
import { describeArtifactStore } from '../../../contracts/artifact-store.ts';

const ids = createIds(() => 0);

describeArtifactStore('SQLite in memory', async () => {
  const database = openStateDatabase({ file: IN_MEMORY, ids });
  return {
    store: createArtifactStore(database),
    other: (leaseUntilSecs) => otherArtifactStore(database, leaseUntilSecs),
    close: () => database.close(),
  };
});

describeArtifactStore('SQLite on disk', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'artifact-store-'));
  const database = openStateDatabase({ file: stateDatabaseFile(directory), ids });
  return {
    store: createArtifactStore(database),
    other: (leaseUntilSecs) => otherArtifactStore(database, leaseUntilSecs),
    async close() {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
});

async function otherArtifactStore(database: StateDatabase, leaseUntilSecs: number) {
  const neighbour = { ...database, owner: ids.newOpaqueId() };
  await createOwnerLease(neighbour).renew(leaseUntilSecs);
  return createArtifactStore(neighbour);
}

describe('createArtifactStore', () => {
  test('a row that violates a constraint is an internal error', async () => {
    const database = openStateDatabase({ file: IN_MEMORY, ids });
    const store = createArtifactStore(database);
    const negative: ArtifactRecord = {
      id: 'a',
      scope: 's',
      name: 'a.png',
      format: 'png',
      width: -1,
      height: 1,
      bytes: 1,
      sha256: 'ab'.repeat(32),
      createdSecs: 0,
    };

    const outcome = store.claim([negative]);

    await expect(outcome).rejects.toMatchObject({ code: 'internal' });
    await database.close();
  });
});
