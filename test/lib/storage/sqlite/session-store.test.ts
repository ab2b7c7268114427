import { describeSessionStore } from '../../../contracts/session-store.ts';
import { DISK_FORMS } from '../../../support/sqlite-forms.ts';

for (const [label, open] of DISK_FORMS) {
  describeSessionStore(label, async () => {
    const { stores, reopen, close } = await open();
    return { store: stores.sessions, reopen: async () => (await reopen()).sessions, close };
  });
}
