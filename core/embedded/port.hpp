#pragma once

namespace cuebox::embedded {

// A port of 127.0.0.1 that nobody listens on at this moment. Somebody may take it before the server
// does: whoever asks must be ready to ask again.
int free_port();

}
