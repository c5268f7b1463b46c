// Unpacks the Chromium of @sparticuz/chromium into TMPDIR, which is where that package puts everything.
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
