import { withJobNotices } from '../../../../lib/storage/sqlite/job-notices.ts';
import { describeJobNotices } from '../../../contracts/job-notices.ts';
import { SQLITE_FORMS } from '../../../support/sqlite-forms.ts';

for (const [label, open] of SQLITE_FORMS) {
  describeJobNotices(label, async () => {
    const { stores, close } = await open();
    const ports = withJobNotices(stores);
    return { ports, reader: ports, artifacts: stores.artifacts, close };
  });
}
