import type { ArtifactDelivery } from './artifacts/delivery.ts';
import type { Reconciliations } from './billing/reconciliation.ts';
import type { RequestContext } from './contract/request/request-context.ts';
import type { DiagnosticsReporter } from './diagnostics/diagnostics.ts';
import type { Readiness } from './diagnostics/readiness.ts';
import type { HttpEvent } from './http/http-event.ts';
import type { PageFile } from './http/reply/page-reply.ts';
import type { Reply } from './http/reply/reply.ts';
import type { ImageRequests } from './image-requests/image-requests.ts';
import type { ArtifactCrops } from './jobs/crop-artifact.ts';
import type { ImageMarks } from './jobs/image-marks.ts';
import type { JobBatches } from './jobs/job-batches.ts';
import type { JobFamilies } from './jobs/job-family.ts';
import type { JobHistory } from './jobs/job-history.ts';
import type { JobInputs } from './jobs/job-inputs.ts';
import type { JobLists } from './jobs/job-lists.ts';
import type { JobStreams } from './jobs/job-streams.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { QueueControl } from './jobs/queue-control.ts';
import type { Models } from './openai/models.ts';
import type { OpenAiImages } from './openai/openai-images.ts';
import type { Plans } from './plans/plans.ts';
import type { Presets } from './presets/presets.ts';
import type { ArtifactCredentialReports } from './provenance/artifact-credentials.ts';
import type { ProviderInventory } from './providers/inventory.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Usage } from './usage/usage.ts';

/** One authorized request of the Model Context Protocol. */
export interface McpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: HttpEvent['headers'];
  /** The parsed JSON of a POST. */
  readonly body?: unknown;
  readonly context: RequestContext;
}

/** The services of the application for handlers. Each handler names the services that it uses. */
export interface Services {
  readonly imageRequests: ImageRequests;
  readonly plans: Plans;
  readonly jobs: Jobs;
  readonly jobLists: JobLists;
  readonly jobHistory: JobHistory;
  readonly imageMarks: ImageMarks;
  readonly artifactCrops: ArtifactCrops;
  readonly jobBatches: JobBatches;
  readonly jobFamilies: JobFamilies;
  readonly jobInputs: JobInputs;
  readonly jobStreams: JobStreams;
  readonly jobQueue: QueueControl;
  readonly presets: Presets;
  readonly sessions: Sessions;
  readonly usage: Pick<Usage, 'report'>;
  readonly reconciliations: Pick<Reconciliations, 'run'>;
  readonly openAiImages: OpenAiImages;
  readonly models: Pick<Models, 'list' | 'get'>;
  readonly providers: ProviderInventory;
  readonly artifacts: Pick<ArtifactDelivery, 'open' | 'openThumbnail' | 'link'>;
  readonly artifactCredentials: ArtifactCredentialReports;
  readonly readiness: Pick<Readiness, 'isReady'>;
  readonly diagnostics: DiagnosticsReporter;
  /** The metrics in the format of Prometheus. The text is empty if metrics are disabled. */
  readonly metrics: { exposition(): Promise<string> };
  /** The tools for agents. The routes exist only if `server.mcp.enabled` is set. */
  readonly mcp: { handle(call: McpCall): Promise<Reply<never>> };
  /** The files of the built dashboard. All functions throw `not_found`. */
  readonly dashboard: {
    page(): Promise<PageFile>;
    /** Resolves with the page for a view below `/dashboard/`. The name of a file is not a view. */
    view(name: string): Promise<PageFile>;
    asset(name: string): Promise<PageFile>;
  };
  /** Returns the OpenAPI document in JSON. The runtime generates the document from the route table. */
  readonly apiDocument: () => Uint8Array | Promise<Uint8Array>;
  /** Returns the value of `Allow` for a path according to the route table. */
  readonly allowedMethods: (path: string) => string;
}
