import { describeUsageStore } from '../../../contracts/usage-store.ts';
import { DISK_FORMS } from '../../../support/sqlite-forms.ts';

for (const [label, open] of DISK_FORMS) {
  describeUsageStore(label, async () => {
    const { stores, reopen, close } = await open();
    return {
      store: stores.usage,
      ledger: stores.ledger,
      async reopen() {
        const { usage: store, ledger } = await reopen();
        return { store, ledger };
      },
      close,
    };
  });
}
