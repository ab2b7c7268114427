import type { JobArtifact, JobSummary } from '../../../dashboard/src/api/schemas.ts';

/** Returns a queued job with the given fields. */
export function summary(fields: Partial<JobSummary> = {}): JobSummary {
  return {
    id: '0199f0a0-0000-7000-8000-000000000001',
    status: 'queued',
    created: 1_780_000_000,
    updated: 1_780_000_000,
    cancel_requested: false,
    favorite: false,
    operation: 'generate',
    prompt: 'A lighthouse at dusk',
    provider: 'sandbox',
    outputs: 1,
    size: '1536x1024',
    inputs: 0,
    artifacts: [],
    ...fields,
  };
}

export function artifacts(count: number, width = 1024, height = 1024): JobArtifact[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `artifact-${index + 1}`,
    width,
    height,
    format: 'png',
    bytes: 1000,
  }));
}
