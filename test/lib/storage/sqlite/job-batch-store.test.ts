import { describeJobBatchStore } from '../../../contracts/job-batch-store.ts';
import { SQLITE_FORMS } from '../../../support/sqlite-forms.ts';

for (const [label, open] of SQLITE_FORMS) {
  describeJobBatchStore(label, async () => {
    const { stores, close } = await open();
    return { store: stores.batches, close };
  });
}
