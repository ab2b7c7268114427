import type { App, Outside } from './app-objects.ts';
import type { Config } from './config/settings/settings.ts';
import { createFailureReport } from './diagnostics/task-records.ts';
import { createTimeSlices, type TimeSlices } from './platform/time-slices.ts';
import { type Credentials, openCredentials } from './provenance/credentials.ts';
import { FEW_DAYS, tryOutSigning } from './provenance/signing-trial.ts';
import { openStores } from './storage/open-stores.ts';

export type { App };

/**
 * Opens the credentials and the stores, and builds every object of the application once. The caller must have locked the state
 * directory. Throws `configuration`.
 */
export async function createApp(config: Config, outside: Outside): Promise<App> {
  const { openStorage = openStores } = outside;
  const slices = createTimeSlices(outside.clock);
  // The certificates are tried out first, because unusable certificates must not leave a migrated database.
  const credentials = await openSigning(config, outside, slices);
  // A thread opens the database while this thread loads the rest of the program.
  const [stores, { buildApp }] = await Promise.all([
    openStorage(config, { ...outside, ...storageReports(outside) }),
    import('./app-objects.ts'),
  ]);
  return buildApp(config, outside, { credentials, slices, stores });
}

/** Opens the certificates and signs a small image with them, so that unusable certificates prevent the start. */
async function openSigning(
  { provenance: settings, images: limits }: Config,
  { clock, log, metrics, ids, facts }: Outside,
  slices: TimeSlices,
): Promise<Credentials> {
  const credentials = openCredentials({
    settings,
    limits,
    clock,
    slices,
    log,
    metrics,
    newId: ids.newOpaqueId,
    version: facts.version,
  });
  try {
    const days = await tryOutSigning(credentials, clock, new AbortController().signal);
    if (days !== undefined && days < FEW_DAYS) log.certificateEnds(days);
    return credentials;
  } catch (error) {
    await credentials.close();
    throw error;
  }
}

/** Returns the functions that report what does not prevent a start: failures and properties that make the stores worse. */
function storageReports(outside: Outside) {
  return {
    onIndexFailure: createFailureReport('job-search-index', outside),
    onListenFailure: createFailureReport('job-notices', outside),
    onWarning: outside.log.storageWarning,
  };
}
