// Workers have an inflater of their own: these tests run in both.

import '../trust/status/status-inflate.test.ts'
