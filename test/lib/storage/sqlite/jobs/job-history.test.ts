import { describeJobHistory } from '../../../../contracts/job-history.ts';
import { SQLITE_FORMS } from '../../../../support/sqlite-forms.ts';

for (const [label, open] of SQLITE_FORMS) {
  describeJobHistory(label, async () => {
    const { stores, close } = await open();
    return { history: stores.history, jobs: stores.jobs, close };
  });
}
