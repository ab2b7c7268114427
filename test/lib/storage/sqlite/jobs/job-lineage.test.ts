import { describeJobLineage } from '../../../../contracts/job-lineage.ts';
import { SQLITE_FORMS } from '../../../../support/sqlite-forms.ts';

for (const [label, open] of SQLITE_FORMS) {
  describeJobLineage(label, async () => {
    const { stores, close } = await open();
    return { store: stores.jobs, artifacts: stores.artifacts, close };
  });
}
