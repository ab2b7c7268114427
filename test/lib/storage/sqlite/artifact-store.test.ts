import { describe, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../../../lib/artifacts/artifact-store-port.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createArtifactStore } from '../../../../lib/storage/sqlite/artifact-store.ts';
import { IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../../lib/storage/sqlite/database.ts';
import { describeArtifactStore } from '../../../contracts/artifact-store.ts';
import { SQLITE_FORMS } from '../../../support/sqlite-forms.ts';

const ids = createIds(() => 0);

for (const [label, open] of SQLITE_FORMS) {
  describeArtifactStore(label, async () => {
    const { stores, other, close } = await open();
    return {
      store: stores.artifacts,
      other: async (leaseUntilSecs) => (await other(leaseUntilSecs)).artifacts,
      close,
    };
  });
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
