import { describeArtifactStore } from '../../contracts/artifact-store.ts';
import { describeBillingStore } from '../../contracts/billing-store.ts';
import { describeJobBatchStore } from '../../contracts/job-batch-store.ts';
import { describeJobLineage } from '../../contracts/job-lineage.ts';
import { describeJobLists } from '../../contracts/job-list.ts';
import { describeJobNotices } from '../../contracts/job-notices.ts';
import { describeJobStore } from '../../contracts/job-store.ts';
import { describePermits } from '../../contracts/permits.ts';
import { describePresetStore } from '../../contracts/preset-store.ts';
import { describeQueueStore } from '../../contracts/queue-store.ts';
import { describeReplayStore } from '../../contracts/replay-store.ts';
import { describeSessionStore } from '../../contracts/session-store.ts';
import { describeUsageStore } from '../../contracts/usage-store.ts';
import { describeWebhookStore } from '../../contracts/webhook-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openSharedForm } from './shared-form.ts';

const LABEL = 'simulated replicas';
/** The end of a lease that no test outlives. */
const FUTURE_SECS = 10_000_000_000;

describeJobStore(LABEL, async () => {
  const { stores, other, endLease, close } = await openSharedForm();
  return {
    store: stores.jobs,
    artifacts: stores.artifacts,
    ledger: stores.ledger,
    usage: stores.usage,
    other: async () => (await other(FUTURE_SECS)).jobs,
    endLease,
    close,
  };
});

describeArtifactStore(LABEL, async () => {
  const { stores, other, close } = await openSharedForm();
  return {
    store: stores.artifacts,
    other: async (leaseUntilSecs) => (await other(leaseUntilSecs)).artifacts,
    close,
  };
});

describeUsageStore(LABEL, async () => {
  const { stores, reopen, close } = await openSharedForm();
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

describeWebhookStore(LABEL, async () => {
  const { stores, reopen, close } = await openSharedForm();
  const opened = {
    store: stores.webhooks,
    jobs: stores.jobs,
    async reopen() {
      const { webhooks, jobs } = await reopen();
      opened.jobs = jobs;
      return webhooks;
    },
    close,
  };
  return opened;
});

describeReplayStore(LABEL, async (policies) => {
  const clock = createManualClock();
  const { stores, another, close } = await openSharedForm(clock);
  const other = await another();
  return {
    store: stores.openReplay(policies),
    other: other.openReplay(policies),
    advance: clock.advance,
    close,
  };
});

describePermits(LABEL, async () => {
  const { stores, another, endLease, close } = await openSharedForm();
  const other = await another();
  if (!stores.permits || !other.permits) throw new Error('replicas share their gates');
  return { permits: stores.permits, other: other.permits, die: endLease, close };
});

describeJobNotices(`${LABEL}, the same replica`, async () => {
  const { stores, close } = await openSharedForm();
  return { ports: stores, reader: stores, artifacts: stores.artifacts, close };
});

describeJobNotices(`${LABEL}, another replica`, async () => {
  const { stores, another, close } = await openSharedForm();
  return { ports: stores, reader: await another(), artifacts: stores.artifacts, close };
});

describeJobBatchStore(LABEL, async () => {
  const { stores, close } = await openSharedForm();
  return { store: stores.batches, close };
});

describeJobLineage(LABEL, async () => {
  const { stores, close } = await openSharedForm();
  return { store: stores.jobs, artifacts: stores.artifacts, close };
});

describeJobLists(
  LABEL,
  async () => {
    const { stores, close } = await openSharedForm();
    return { store: stores.jobs, close };
  },
  3,
);

describeQueueStore(LABEL, async () => {
  const { stores, close } = await openSharedForm();
  return { queue: stores.queue, jobs: stores.jobs, close };
});

describeBillingStore(LABEL, async () => {
  const { stores, close } = await openSharedForm();
  return { ...stores, close };
});

describePresetStore(LABEL, async () => {
  const { stores, close } = await openSharedForm();
  return { store: stores.presets, close };
});

describeSessionStore(LABEL, async () => {
  const { stores, reopen, close } = await openSharedForm();
  return { store: stores.sessions, reopen: async () => (await reopen()).sessions, close };
});
