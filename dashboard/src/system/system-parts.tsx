import { usePage } from '../page-context.ts';
import { ActivitySection } from './activity/activity-section.tsx';
import { ConfigurationBox } from './configuration/configuration-box.tsx';
import { EventBox } from './events/event-box.tsx';
import { ModelTable } from './models/model-table.tsx';
import { ProviderList } from './providers/provider-list.tsx';
import { StorageBox } from './storage/storage-box.tsx';
import { SystemBlank } from './system-blank.tsx';
import { SystemSkeletons } from './system-skeletons.tsx';
import { UsageBox } from './usage/usage-box.tsx';

/** Everything that was read of the bridge; before that its shapes, or why there is nothing. */
export function SystemParts() {
  const { diagnostics, connection } = usePage();
  const { value: reading } = diagnostics.latest;
  const { value: error } = diagnostics.error;
  const { value: state } = connection.state;
  if (reading === undefined) {
    const isRefused = error !== undefined || state === 'offline' || state === 'unauthorized';
    return isRefused ? <SystemBlank error={error} /> : <SystemSkeletons />;
  }
  const { report } = reading;
  return (
    <>
      <ProviderList reading={reading} />
      <ActivitySection report={report} />
      <div class="tables">
        <ModelTable />
        <EventBox events={report.events} />
      </div>
      <div class="lists">
        <UsageBox />
        <StorageBox report={report} />
        <ConfigurationBox origins={report.configuration.origins} />
      </div>
    </>
  );
}
