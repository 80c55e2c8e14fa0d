from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.build import check_min_cppstd


class CueboxConan(ConanFile):
    name = "cuebox"
    version = "0.1.0"
    license = "BSL-1.0"
    description = "Coroutine actors that move events out of a Postgres outbox into handlers"
    topics = ("actors", "coroutines", "postgres", "outbox", "asio")
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    # Whether spans can be exported: the room core/otel.
    options = {"otel": [True, False]}
    default_options = {"otel": False}
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "core/*", "actors/*", "handlers/*", "migrations/*", "apps/*"

    def requirements(self):
        # Asio and PFR appear in Cuebox's own headers.
        self.requires("boost/1.88.0", transitive_headers=True, options={"header_only": True})
        # Linked, but in no header of Cuebox's own. From 17 on it comes with TLS unless told otherwise.
        self.requires("libpq/[>=17 <19]")
        self.requires("openssl/[>=3 <4]")
        # Header only, and in no header of Cuebox's own: those who use the package do not need them.
        self.requires("taocpp-json/1.0.0-beta.14", visible=False)
        self.requires("quill/[>=11]", visible=False)
        self.requires("cli11/[>=2.4 <3]", visible=False)
        if self.options.otel:
            # Linked, but in no header of Cuebox's own.
            self.requires("opentelemetry-cpp/[>=1.17 <2]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")
        # For `conan install` in a checkout, whose tests are built; a package is built without them.
        self.test_requires("catch2/[>=3.4 <4]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CUEBOX_OTEL"] = "ON" if self.options.otel else "OFF"
        toolchain.generate()

    def build(self):
        # The tests want a Postgres server and the rest of the checkout; test_package tries the package.
        cmake = CMake(self)
        cmake.configure(variables={"CUEBOX_TESTS": "OFF", "CUEBOX_EXAMPLES": "OFF"})
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Cuebox brings its own cuebox-config.cmake with one target per room: cuebox::runtime and so on.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/cuebox")
