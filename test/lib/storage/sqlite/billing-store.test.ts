import { describeBillingStore } from '../../../contracts/billing-store.ts';
import { DISK_FORMS } from '../../../support/sqlite-forms.ts';

for (const [label, open] of DISK_FORMS) {
  describeBillingStore(label, async () => {
    const { stores, close } = await open();
    return { ...stores, close };
  });
}
