import type { Job } from '../../api/schemas.ts';
import type { Size } from '../../images/size.ts';
import { parseSize } from '../../make/size/shapes.ts';

const UNKNOWN = { width: 1536, height: 1024 };
const AREA = 1024 * 1024;

/** Returns the shape in which an open job is shown: the requested shape, or 3:2 if unknown. */
export function openSize({ request }: Pick<Job, 'request'>): Size {
  const { size, aspect_ratio: shape } = request.parameters;
  const [width = 0, height = 0] = (shape ?? '').split(':').map(Number);
  if (width > 0 && height > 0) {
    const scale = Math.sqrt(AREA / (width * height));
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  }
  return parseSize(size) ?? UNKNOWN;
}
